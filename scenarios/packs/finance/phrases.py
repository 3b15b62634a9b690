"""Phrases in which people submit expenses."""

from companyos.sdk.company import Phrases

EXPENSE = Phrases(
    openings=(
        "Here are my expenses: {name}.",
        "{name}. Receipts are attached to the report.",
        "Please settle {name}.",
        "Expenses of last month: {name}.",
        "I paid for this myself: {name}.",
        "One more report from {team}: {name}.",
        "Handed in late, sorry: {name}.",
    ),
    details=(
        "It comes to {value}.",
        "{value} by my own count.",
        "The total should be {value}, give or take the exchange rate.",
        "One receipt is in another currency.",
        "The hotel was the only one left in town.",
        "My manager knows about it.",
        "The taxi receipts are hard to read.",
        "I shared the car with a colleague, who hands in nothing.",
        "Two of the dinners were with customers.",
    ),
    closings=(
        "Thanks!",
        "It has been a while, so I would be glad to have it back.",
        "Ask me if a receipt is missing.",
        "Please use the usual account.",
        "No hurry.",
    ),
)
