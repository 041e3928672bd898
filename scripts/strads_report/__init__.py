"""What scripts/strads-report is made of: runs (reads run directories), progress and curves (what is drawn of them), draw,
tables, page, timeline, command. style is shared with the pictures of docs/figures (scripts/pictures.py)."""
