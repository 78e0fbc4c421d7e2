/**
 * Memory for the events of background responses. Ended responses keep theirs until the room is needed, so that clients
 * can follow them late. Each user has a share, so that no user displaces the others' events.
 */
import type { ResponseEvents } from './background-response-events.ts';

/** Maximum bytes of stored events. */
const BYTES_MAX = 32 * 1_048_576;
/** Maximum bytes for each user; two responses of the largest size. */
const USER_BYTES_MAX = 8 * 1_048_576;

export class EventMemory {
  /** Sum over all users. The first and the last events of a response may exceed a share, which then counts once. */
  #bytes = 0;
  readonly #userBytes = new Map<number, number>();
  /** Events of ended responses by user and id, oldest first. */
  readonly #ended = new Map<number, Map<string, ResponseEvents>>();

  /**
   * Counts added events. Those of ended responses make room if necessary: the user's own at the user's limit, else
   * those of the user with the most bytes.
   * @returns whether more events of the user fit
   */
  reserve(userId: number, bytes: number): boolean {
    this.#add(userId, bytes);
    for (let isLeft = true; isLeft && this.#bytesOf(userId) > USER_BYTES_MAX; ) isLeft = this.#evictOldest(userId);
    for (let isLeft = true; isLeft && this.#bytes > BYTES_MAX; ) isLeft = this.#evictOldest(this.#findLargestUser());
    return this.#bytesOf(userId) <= USER_BYTES_MAX && this.#bytes <= BYTES_MAX;
  }

  /** Keeps the events of a response that has ended. */
  keep(userId: number, id: string, events: ResponseEvents): void {
    const ended = this.#ended.get(userId) ?? new Map<string, ResponseEvents>();
    this.#ended.set(userId, ended.set(id, events));
  }

  find(userId: number, id: string): ResponseEvents | undefined {
    return this.#ended.get(userId)?.get(id);
  }

  /** @returns false if there is no ended response */
  #evictOldest(userId: number | undefined): boolean {
    const ended = userId === undefined ? undefined : this.#ended.get(userId);
    const [oldest] = ended ?? [];
    if (userId === undefined || ended === undefined || oldest === undefined) return false;
    const [id, events] = oldest;
    ended.delete(id);
    if (ended.size === 0) this.#ended.delete(userId);
    this.#add(userId, -events.bytes);
    return true;
  }

  /** Returns the user with the most bytes among those with ended responses. */
  #findLargestUser(): number | undefined {
    return [...this.#ended.keys()].reduce<number | undefined>(
      (most, userId) => (most === undefined || this.#bytesOf(userId) > this.#bytesOf(most) ? userId : most),
      undefined,
    );
  }

  #add(userId: number, bytes: number): void {
    const before = this.#bytesOf(userId);
    const sum = before + bytes;
    this.#bytes += Math.min(sum, USER_BYTES_MAX) - Math.min(before, USER_BYTES_MAX);
    if (sum === 0) this.#userBytes.delete(userId);
    else this.#userBytes.set(userId, sum);
  }

  #bytesOf(userId: number): number {
    return this.#userBytes.get(userId) ?? 0;
  }
}
