"""Final labels and the published bundle, from frozen data files. Pure: data in, files out; no
Django here."""
