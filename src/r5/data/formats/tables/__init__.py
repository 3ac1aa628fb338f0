"""Tables of triples: text, frames, Parquet files, rows and arrays of ids."""
