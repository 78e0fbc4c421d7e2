/** Calls of one name in order, and the first of them that may lack a result. */
interface NamedCalls {
  ids: string[];
  next: number;
}

/**
 * Generator of call ids, which this dialect doesn't need: a result belongs to the first call of its name without one.
 * The ids are the same whenever the conversation is sent, which keeps prompt caches valid.
 */
export class CallIds {
  #made = 0;
  readonly #pending = new Set<string>();
  readonly #byName = new Map<string, NamedCalls>();

  /** Starts a model turn. Results belong to the calls of the last one. */
  beginTurn(): void {
    this.#pending.clear();
    this.#byName.clear();
  }

  idForCall(name: string, id: string | undefined): string {
    const callId = id ?? this.#make();
    this.#pending.add(callId);
    const named = this.#byName.get(name);
    if (named === undefined) this.#byName.set(name, { ids: [callId], next: 0 });
    else named.ids.push(callId);
    return callId;
  }

  idForResult(name: string | undefined, id: string | undefined): string {
    const isKnown = id !== undefined && this.#pending.has(id);
    const callId = isKnown ? id : this.#nextOf(name);
    if (callId === undefined) return id ?? this.#make();
    this.#pending.delete(callId);
    return callId;
  }

  #nextOf(name: string | undefined): string | undefined {
    const named = name === undefined ? undefined : this.#byName.get(name);
    if (named === undefined) return undefined;
    while (named.next < named.ids.length) {
      const callId = named.ids[named.next];
      named.next++;
      if (callId !== undefined && this.#pending.has(callId)) return callId;
    }
    return undefined;
  }

  #make(): string {
    return `call_${this.#made++}`;
  }
}
