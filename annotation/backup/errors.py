"""What is said when a backup cannot be made or taken."""


class BackupError(Exception):
    """The file is no backup, not whole, or does not fit, or a setting is in the way; the message
    says which and what to do."""
