"""Classes as people write them, for `module:Class`. Importing this prints, as some do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Literal, NotRequired, Optional, TypedDict
from uuid import UUID

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel, conint, constr

print("a module that prints when it is imported")


class Address(BaseModel):
    street: str
    city: str
    zip: Annotated[str, Field(pattern=r"^\d{5}$")]


class Nested(BaseModel):
    """A person and where they live."""

    name: str = Field(description="Full name", min_length=1, max_length=40)
    home: Address
    others: list[Address] = Field(max_length=2)


class Optionals(BaseModel):
    nick: Optional[str]  # noqa: UP045 (as many still write it)
    age: int | None = None
    work: Address | None = None


class Literals(BaseModel):
    kind: Literal["a", "b", 3, None]
    only: Literal["x"]


class Colour(Enum):
    RED = "red"
    GREEN = "green"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Enums(BaseModel):
    colour: Colour
    level: Level = Level.LOW
    palette: list[Colour] = Field(min_length=1, max_length=3)


class Cat(BaseModel):
    type: Literal["cat"]
    lives: int = Field(ge=0, le=9)


class Dog(BaseModel):
    type: Literal["dog"]
    name: str
    good: bool = True


class Discriminated(BaseModel):
    pet: Cat | Dog = Field(discriminator="type")
    pets: list[Annotated[Cat | Dog, Field(discriminator="type")]] = Field(max_length=3)


class Constrained(BaseModel):
    small: conint(gt=0, lt=10)  # type: ignore[valid-type]
    even: Annotated[int, Field(multiple_of=2, ge=-4, le=100)]
    code: constr(pattern=r"^[A-Z]{2}-\d{1,3}$")  # type: ignore[valid-type]
    ratio: Annotated[float, Field(gt=0, le=1)]
    pair: tuple[int, str]


class Moments(BaseModel):
    at: datetime
    day: date
    wake: time
    lasts: timedelta


class Money(BaseModel):
    price: Decimal
    total: Decimal = Field(max_digits=6, decimal_places=2, ge=0)
    rate: Annotated[Decimal, Field(gt=0, lt=1, decimal_places=3)]


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Aliases(BaseModel):
    model_config = ConfigDict(populate_by_name=False)

    full_name: str = Field(alias="fullName")
    home_town: str = Field(validation_alias=AliasChoices("homeTown", "town"))
    country: str = Field(default="GB", serialization_alias="land")


class Defaults(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = "nobody"
    tags: list[str] = Field(default_factory=list, max_length=2)
    size: int = 3
    id: UUID


class Expr(BaseModel):
    op: Literal["+", "*"]
    left: Expr | int
    right: Expr | int


class Maps(BaseModel):
    counts: dict[str, int]
    seen: set[Literal["a", "b", "c"]]
    pairs: dict[Literal["x", "y"], float]


class Base(BaseModel):
    id: Annotated[int, Field(ge=1, lt=10_000)]


class Derived(Base):
    notes: Annotated[str, Field(max_length=20)] | None = Field(default=None, description="Free")
    flags: list[bool] = Field(min_length=2, max_length=2)


class Basket(RootModel[list[Derived]]):
    """A model that is an array."""


@dataclass
class Point:
    x: float
    y: float
    label: str | None = None


class Movie(TypedDict):
    title: str
    year: int
    rating: NotRequired[Literal[1, 2, 3, 4, 5]]


NAMES = [
    "Nested", "Optionals", "Literals", "Enums", "Discriminated", "Constrained", "Moments", "Money",
    "Tree", "Aliases", "Defaults", "Expr", "Basket", "Point", "Movie", "Maps",
]  # fmt: skip
