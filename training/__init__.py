"""Data, training and evaluation of the starter's adapter; not part of the installed package."""
