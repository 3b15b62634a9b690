"""A process that plays episodes by pictures of their pages, for clients of OpenEnv: `companyos browser`."""
