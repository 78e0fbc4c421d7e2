/**
 * Publishes changes to the other nodes. Each topic has a version in the database, so that a node detects missed
 * changes and reloads the whole topic.
 */
import { randomUUID } from 'node:crypto';
import { parseJson } from '@switchyard/relay/json';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import {
  type Change,
  type Changes,
  createChange,
  QUEUE_TOPICS,
  TOPICS,
  type Topic,
} from '../../platform/change-subscriptions.ts';
import { sleep, type Timers } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { startRepeating, waitAtMost } from '../../platform/timeouts-and-intervals.ts';
import type { PostgresEngine } from '../database-handle.ts';

const CHANNEL = 'switchyard_changes';
/**
 * Interval of polls. A version counts as missed when two polls found it, because its notification may still be on its
 * way.
 */
const POLL_MS = 500;
const POLL_TIMEOUT_MS = 5_000;
/** Milliseconds that a publisher waits until the other nodes were notified; after that they are notified later. */
const NOTIFY_TIMEOUT_MS = 2_000;
const NOTIFY_RETRY_MS = 500;

const changePayload = z.object({
  node: z.string(),
  topic: z.enum(TOPICS),
  version: z.number(),
  ids: z.array(z.number()).nullable(),
});

const NOTIFY = `with told as (
    insert into change_version (topic, version) values ($1::text, 1)
    on conflict (topic) do update set version = change_version.version + 1
    returning version
  )
  select pg_notify('${CHANNEL}',
    json_build_object('node', $2::text, 'topic', $1::text, 'version', version, 'ids', $3::json)::text) from told`;

const INCREMENT_ALL = `insert into change_version (topic, version) select unnest($1::text[]), 1
  on conflict (topic) do update set version = change_version.version + 1`;

/**
 * Notifies all nodes of a change of every topic, on behalf of a node that may have changed rows without notifying them.
 * All nodes reload everything.
 */
export async function notifyAllTopics(pool: Pool): Promise<void> {
  await pool.query(INCREMENT_ALL, [TOPICS]);
}

export interface ChangeBroadcast {
  close(): Promise<void>;
}

/** Resolves once values that are read from then on stay up to date. */
export async function createChangeBroadcast(
  { pool, onUncertainWrite }: Pick<PostgresEngine, 'pool' | 'onUncertainWrite'>,
  changes: Changes,
  log: Log,
  timers: Timers,
): Promise<ChangeBroadcast> {
  const node = randomUUID();
  const stop = new AbortController();
  const versions = createTopicVersions(node, (change) => changes.receive(change), log);
  let listener: PoolClient | undefined = await listen(pool, versions);

  const look = async (): Promise<void> => {
    try {
      if (listener === undefined) {
        listener = await listen(pool, versions);
        await versions.rereadAll();
      } else await versions.compare(await readVersions(listener));
    } catch (error) {
      if (stop.signal.aborted) return;
      log.error({ err: error }, 'changes of other nodes cannot be received at the moment');
      listener?.release(true);
      listener = undefined;
    }
  };
  // `look` handles its own failures.
  const looking = startRepeating(timers, POLL_MS, look, () => {});

  const retryUntilSent = async (topic: Topic | 'all', send: () => Promise<unknown>): Promise<void> => {
    for (let again = true; again; ) {
      try {
        await send();
        return;
      } catch (error) {
        log.error({ err: error, topic }, 'other nodes could not be notified of a change; retrying');
        again = await sleep(timers, NOTIFY_RETRY_MS, stop.signal).then(
          () => true,
          () => false,
        );
      }
    }
  };
  const publish = async (change: Change): Promise<void> => {
    if (QUEUE_TOPICS.has(change.topic)) return;
    const ids = 'ids' in change && change.ids !== undefined ? JSON.stringify(change.ids) : null;
    await retryUntilSent(change.topic, () => pool.query(NOTIFY, [change.topic, node, ids]));
  };
  // Nothing is published after a write that failed. If it was committed all the same, this node must reload too.
  let isWriteUncertain = false;
  let notifying: Promise<void> | undefined;
  const notifyOfUncertainWrites = async (): Promise<void> => {
    while (isWriteUncertain && !stop.signal.aborted) {
      isWriteUncertain = false;
      await retryUntilSent('all', () => notifyAllTopics(pool));
    }
    notifying = undefined;
  };
  onUncertainWrite(() => {
    isWriteUncertain = true;
    notifying ??= notifyOfUncertainWrites();
  });
  changes.connect(async (change) => void (await waitAtMost(timers, NOTIFY_TIMEOUT_MS, publish(change))));

  return {
    async close() {
      stop.abort();
      await looking.stop();
      listener?.release(true);
    },
  };
}

interface TopicVersions {
  /** Starts with the versions of the database. */
  begin(stored: ReadonlyMap<Topic, number>): void;
  receive(payload: string): void;
  /** Reloads the topics that two polls in a row found to be missed. */
  compare(stored: ReadonlyMap<Topic, number>): Promise<void>;
  rereadAll(): Promise<void>;
}

/** Creates the tracker of the topic versions that this node has received. */
function createTopicVersions(node: string, apply: (change: Change) => Promise<void>, log: Log): TopicVersions {
  const appliedVersions = new Map<Topic, number>();
  /** Topics that the last poll found to be missed. */
  let unheard: readonly Topic[] = [];
  const unread = new Set<Topic>();
  const take = (change: Change): Promise<void> =>
    apply(change).catch((error: unknown) => {
      unread.add(change.topic);
      log.error({ err: error, topic: change.topic }, 'a change of another node could not be loaded; retrying');
    });
  return {
    begin(stored) {
      for (const topic of TOPICS) appliedVersions.set(topic, stored.get(topic) ?? 0);
    },
    receive(payload) {
      const parsed = changePayload.safeParse(parseJson(payload));
      // A newer version may publish topics that this one does not know.
      if (!parsed.success) return;
      const { topic, version, ids, node: sender } = parsed.data;
      const before = appliedVersions.get(topic) ?? 0;
      if (version <= before) return;
      appliedVersions.set(topic, version);
      if (version > before + 1) void take({ topic });
      else if (sender !== node) void take(createChange(topic, ids));
    },
    async compare(stored) {
      const before = unheard;
      unheard = TOPICS.filter((topic) => (stored.get(topic) ?? 0) > (appliedVersions.get(topic) ?? 0));
      const again = new Set([...unread, ...unheard.filter((topic) => before.includes(topic))]);
      unread.clear();
      for (const topic of again)
        appliedVersions.set(topic, Math.max(appliedVersions.get(topic) ?? 0, stored.get(topic) ?? 0));
      await Promise.all([...again].map((topic) => take({ topic })));
    },
    async rereadAll() {
      unread.clear();
      await Promise.all(TOPICS.map((topic) => take({ topic })));
    },
  };
}

async function listen(pool: Pool, versions: TopicVersions): Promise<PoolClient> {
  const client = await pool.connect();
  try {
    client.on('notification', ({ payload = '' }) => versions.receive(payload));
    // The next poll detects the error, too, and reconnects.
    client.on('error', () => {});
    await client.query(`listen ${CHANNEL}`);
    versions.begin(await readVersions(client));
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function readVersions(client: PoolClient): Promise<ReadonlyMap<Topic, number>> {
  const query = { text: 'select topic, version from change_version', query_timeout: POLL_TIMEOUT_MS };
  const { rows } = await client.query<{ topic: Topic; version: number }>(query);
  return new Map(rows.map(({ topic, version }) => [topic, version]));
}
