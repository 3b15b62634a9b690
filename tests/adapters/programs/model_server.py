"""An endpoint that speaks OpenAI's chat completions and answers with the oracle's calls.

It tells the episodes apart by the person and the ticket in the brief, and finds each by its seed: all of them play
`vendor_onboarding`. Frameworks that start a harness of their own can ask no Python object, only an endpoint.
"""
