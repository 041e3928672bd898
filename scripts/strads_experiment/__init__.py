"""What scripts/experiment is made of: plan (the INI file as points of a grid), programs (their options, data and build), store
(what is done, in which folder), work (runs points), nodes (a cluster that stays), table (what is collected), pictures, command."""
