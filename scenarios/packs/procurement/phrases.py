"""Phrases in which people ask procurement for something."""

from companyos.sdk.company import Phrases

VENDOR = Phrases(
    openings=(
        "{name} asks to be let into the supplier base.",
        "We would like to buy from {name}.",
        "Please take {name} on as a vendor.",
        "{name} has sent its papers and waits to hear from us.",
        "Can we get {name} set up?",
        "{team} wants to work with {name}.",
        "New vendor for you: {name}.",
        "{name} again. They would like to deliver to us.",
    ),
    details=(
        "Its compliance score was {value} when we last looked.",
        "The score I have on file is {value}.",
        "{value} in the last review, if I read the sheet correctly.",
        "They quoted less than the two others we asked.",
        "The contact there is new, so answers take a while.",
        "We used them at my previous employer without any trouble.",
        "The first order would be a small one.",
        "Their references were fine.",
        "The contract is with {team} for signature, it only needs this.",
        "Mind the name, there are others like it.",
    ),
    closings=(
        "Thanks!",
        "Tell me if anything is missing.",
        "No rush, but this month would be good.",
        "They ask every other day.",
        "I am in the office until Thursday.",
    ),
)

LICENSE = Phrases(
    openings=(
        "The licenses of {name} run out soon.",
        "{name} is up for renewal.",
        "Please look after the renewal of {name}.",
        "We got a renewal notice for {name}.",
        "Does anybody still use {name}? It is to be renewed.",
        "Renewal of {name}, as every year.",
        "{team} needs {name} for another term.",
    ),
    details=(
        "There are {value} left, by my list.",
        "The portal says {value}.",
        "{value} to go when I wrote this down.",
        "A few people have left since, so the number of seats may be off.",
        "The account manager offers the same price as before.",
        "It renews by itself if nobody says anything, I believe.",
        "We had a long outage with them in spring.",
        "Finance wants it on the same cost centre.",
        "The notice came by mail, the original is with me.",
    ),
    closings=(
        "Thanks!",
        "Last year we were late, please not again.",
        "Ask me if something is unclear.",
        "I will be out next week.",
        "Sooner is better.",
    ),
)
