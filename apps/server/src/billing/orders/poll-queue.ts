import type { Context } from '../../context.ts';

const POLL_CONCURRENCY = 5;
/** Whoever takes longer to answer is asked no more in this run: what belongs to others waits. */
const SLOW_MS = 5_000;

interface Poll {
  /** Notes it before it is asked, in case this process dies of it. */
  claim(): Promise<unknown>;
  poll(): Promise<void>;
}

/** Asks processors about many things, a few at once. */
export async function pollAll<T extends { processor_id: number }>(
  { clock }: Context,
  due: readonly T[],
  questionOf: (thing: T) => Poll,
): Promise<void> {
  const slow = new Set<number>();
  const askOne = async (thing: T): Promise<void> => {
    const question = questionOf(thing);
    await question.claim();
    if (slow.has(thing.processor_id)) return;
    const begun = clock.elapsed();
    await question.poll();
    if (clock.elapsed() - begun > SLOW_MS) slow.add(thing.processor_id);
  };
  for (let first = 0; first < due.length; first += POLL_CONCURRENCY)
    await Promise.all(due.slice(first, first + POLL_CONCURRENCY).map(askOne));
}
