interface PendingCall {
  callId: string;
  name: string;
}

/**
 * Calls and their results need no ids here: a result belongs to the first call of its name that has none yet. The ids
 * made for them are the same each time the conversation is sent, which keeps caches warm.
 */
export class CallIds {
  #made = 0;
  #pending: PendingCall[] = [];

  /** Results belong to the calls of the last turn of the model. */
  beginTurn(): void {
    this.#pending = [];
  }

  ofCall(name: string, id: string | undefined): string {
    const callId = id ?? this.#next();
    this.#pending.push({ callId, name });
    return callId;
  }

  ofResult(name: string | undefined, id: string | undefined): string {
    const byId = this.#pending.findIndex((call) => call.callId === id);
    const at = byId === -1 ? this.#pending.findIndex((call) => call.name === name) : byId;
    const [call] = at === -1 ? [] : this.#pending.splice(at, 1);
    return call?.callId ?? id ?? this.#next();
  }

  #next(): string {
    return `call_${this.#made++}`;
  }
}
