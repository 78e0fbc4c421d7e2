/** Queue whose owners alternate, however many items each has. */
export class FairQueue<Item> {
  /** Items by owner; the first owner is served next. */
  readonly #waiting = new Map<unknown, Item[]>();

  add(owner: unknown, item: Item): void {
    const items = this.#waiting.get(owner);
    if (items === undefined) this.#waiting.set(owner, [item]);
    else items.push(item);
  }

  /** Puts an item before the others of its owner, for work in slices. */
  putBack(owner: unknown, item: Item): void {
    this.#waiting.set(owner, [item, ...(this.#waiting.get(owner) ?? [])]);
  }

  /** Removes the next item and returns it. */
  next(): Item | undefined {
    for (const [owner, [item, ...others]] of this.#waiting) {
      this.#waiting.delete(owner);
      if (others.length > 0) this.#waiting.set(owner, others);
      return item;
    }
    return undefined;
  }

  remove(owner: unknown, item: Item): void {
    const others = (this.#waiting.get(owner) ?? []).filter((one) => one !== item);
    if (others.length > 0) this.#waiting.set(owner, others);
    else this.#waiting.delete(owner);
  }
}
