"""Every statement that the suite has our code send, recorded at the driver, and the law that each must keep.

A statement that names a table of worlds says which layers it means, by a parameter. The recorder sees what any
process of ours hands to psycopg: this one's, and through `sitecustomize` those it starts, forks and kills.
"""
