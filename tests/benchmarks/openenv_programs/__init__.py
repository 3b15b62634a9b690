"""Reference programs for comparison, run by an interpreter that has OpenEnv but not CompanyOS."""
