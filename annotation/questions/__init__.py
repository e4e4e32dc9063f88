"""Does a text still answer what another answers? Questions, answers and grades of models, and what
they say beside people, without asking anybody. Pure."""
