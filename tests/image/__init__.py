"""The image and the compose file, built and run as a stranger would: ``make image-test``.

Asks for root, buildah, podman, runc, debootstrap and iptables (Debian packages), and a Debian
mirror; for no Docker engine. Where the images that the Dockerfile and docker-compose.yml name
cannot be pulled, stand-ins are made of Debian's packages, and it says so.
"""
