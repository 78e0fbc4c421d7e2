/**
 * `GET /v1/responses/{id}/input_items`: lists what the model received for a response, turn by turn until the page is
 * full.
 */
import type { CursorPage } from '../../db/paging.ts';
import {
  type ConversationTurn,
  listTurnsUpTo,
  parseResponse,
  readResponse,
  type StoredResponse,
} from '../../stored-responses/stored-responses.ts';
import { JsonPage } from '../http/openai-list-page.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { createPacedRunner, type PacedExecutor } from '../limits/paced-executor.ts';

type StoreContext = Parameters<typeof readResponse>[0];

interface InputItemsRequest {
  userId: number;
  /** Response id. */
  id: string;
  page: CursorPage;
  slot: Pick<ConcurrencySlot, 'grow'>;
}

interface NumberedTurn extends ConversationTurn {
  /** Index within the conversation. */
  nth: number;
  /** True for the response itself, whose output the model did not receive. */
  isLast: boolean;
}

/**
 * Reads a page, newest items first by default. Each turn is parsed separately, and is not read when the page is
 * already full.
 * @returns JSON; undefined when a part of the conversation is no longer stored
 */
export async function listInputItems(
  ctx: StoreContext,
  pacedExecutor: PacedExecutor,
  asked: InputItemsRequest,
): Promise<string | undefined> {
  const { userId, id, page, slot } = asked;
  const turns = await listTurnsUpTo(ctx, userId, id);
  if (turns === undefined) return undefined;
  const numbered = turns.map((turn, nth) => ({ ...turn, nth, isLast: nth === turns.length - 1 }));
  const inTime = createPacedRunner(pacedExecutor, userId);
  const list = new JsonPage(page);
  let isBehind = page.after === undefined;
  const ids = new UniqueIds();
  /** @returns whether an item of the turn is on the page */
  const addItems = (turn: NumberedTurn, stored: StoredResponse): boolean => {
    const items = listItems(turn, stored);
    let isShown = false;
    for (const listed of page.isAscending ? items : items.toReversed()) {
      const item = { ...listed, id: ids.add(listed.id) };
      if (!isBehind) isBehind = item.id === page.after;
      else if (list.add(item.id, JSON.stringify(item))) isShown = true;
      if (list.isFull) break;
    }
    return isShown;
  };
  for (const turn of page.isAscending ? numbered : numbered.toReversed()) {
    slot.grow(turn.bytes);
    const idsBefore = ids.length;
    const row = await readResponse(ctx, userId, turn.id);
    if (row === undefined) return undefined;
    const isShown = await inTime(turn.bytes, () => addItems(turn, parseResponse(row)));
    if (list.isFull) break;
    if (!isShown) slot.grow(ids.length - idsBefore - turn.bytes);
  }
  // The list starts from the beginning if the cursor's item doesn't exist.
  if (!isBehind) return listInputItems(ctx, pacedExecutor, { ...asked, page: { ...page, after: undefined } });
  return list.toJson();
}

/** Returns what the model received in a turn, and what it answered if the conversation went on from there. */
function listItems({ nth, isLast }: NumberedTurn, { input, response }: StoredResponse): { id: string }[] {
  const output: unknown = response['output'];
  const items = isLast || !Array.isArray(output) ? input : [...input, ...(output as unknown[])];
  return items.map((item, index) => ensureId(item, `item_${nth}_${index}`));
}

/**
 * Ids of listed items, each once. Clients may send an item in two turns, and the page behind an id that two items have would
 * begin behind the first of them: paging would never end.
 */
class UniqueIds {
  /** Characters of all ids. */
  length = 0;
  /** The last number that was tried behind each id. */
  readonly #numbers = new Map<string, number>();

  /** Returns the id, with a number behind it if it was added before. */
  add(id: string): string {
    let unique = id;
    let number = this.#numbers.get(id) ?? 1;
    while (this.#numbers.has(unique)) {
      number += 1;
      unique = `${id}_${number}`;
    }
    this.#numbers.set(id, number).set(unique, unique === id ? number : 1);
    this.length += unique.length;
    return unique;
  }
}

/** Clients need not name their items; pages need names. */
function ensureId(item: unknown, name: string): { id: string } {
  const fields = typeof item === 'object' && item !== null ? item : {};
  const given: unknown = 'id' in fields ? fields.id : undefined;
  const type = 'type' in fields ? {} : { type: 'message' };
  return { ...type, ...fields, id: typeof given === 'string' && given !== '' ? given : name };
}
