"""Workshop access: the number of incidents decides who may admit a team."""
