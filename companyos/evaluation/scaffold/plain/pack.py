"""The store's pack: a ticket kind, a record kind, and unrelated work around them."""

from collections.abc import Callable
from typing import Final

from companyos.sdk.company import Cast, Company, Pack, Person, Row, TicketKind
from companyos.sdk.simtime import DAY

STOCK: Final = "stock"
PRODUCT: Final = "product"
ROLE, TEAM = "storekeeper", "Stores"
REFRESH_S: Final = 600

PRODUCTS: Final = (
    "Printer paper",
    "Packing tape",
    "Pallet wrap",
    "Safety gloves",
    "Box cutters",
    "Label rolls",
)
SIZES: Final = ("small", "medium", "large", "bulk")
#: Wordings of a ticket, irrelevant to the decision.
REQUESTS: Final = (
    "The shelf of {product} looks empty to me. Can somebody check?",
    "We used a lot of {product} last week. Is there enough left?",
    "Please look after {product} before the weekend.",
)

#: Assigns an id to an object of a series: `company.numbers.reserve` or `company.numbers.next`.
NewId = Callable[[str], str]


def add_product(company: Company, new_id: NewId, *, is_short: bool) -> Row:
    """Add a product with a stale count, which a refresh corrects, and return the product's record."""
    record_id, draws = new_id("P"), company.draws
    kind, size = draws.choice("product", PRODUCTS, record_id), draws.choice("size", SIZES, record_id)
    threshold, distance = (
        draws.integer("threshold", 40, 90, record_id),
        draws.integer("distance", 1, 30, record_id),
    )
    fields = {"reorder_below": threshold}
    record = company.add_record(record_id, PRODUCT, f"{kind}, {size} ({record_id})", fields, "active")
    company.add_metric(
        "stock_level",
        record_id,
        float(threshold + draws.integer("stale", -20, 20, record_id)),
        "pieces",
        metric_id=new_id("MET"),
        age_s=4 * DAY,
        ttl_s=2 * DAY,
        refresh_s=REFRESH_S,
        values=[float(threshold - distance if is_short else threshold + distance)],
    )
    return record


def add_ticket(company: Company, new_id: NewId, product: Row, reporter: Person) -> Row:
    """Add a ticket that asks for the stock of a product."""
    ticket_id, name = new_id("TD"), product["name"]
    request = company.draws.choice("request", REQUESTS, ticket_id).format(product=name)
    return company.add_ticket(ticket_id, STOCK, f"Stock of {name}", request, reporter, subject=product["id"])


def _somebody_elses(company: Company, cast: Cast, number: int) -> None:
    """Add a product and a ticket that are not the agent's task."""
    product = add_product(company, company.numbers.next, is_short=company.draws.chance("short", 0.5, number))
    add_ticket(
        company, company.numbers.next, product, company.draws.choice("reporter", company.people, number)
    )


PACK: Final = Pack(
    name="stores",
    ticket_kinds=(TicketKind(STOCK, "Stock", ("low", "medium", "high"), (ROLE,), needs_approval=False),),
    record_kinds=(PRODUCT,),
    teams=((TEAM, ROLE),),
    # Listed twice, so it is drawn twice as often as the stories of other packs.
    stories=(_somebody_elses, _somebody_elses),
)
