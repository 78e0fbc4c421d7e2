/** Process that takes a concurrency slot and keeps it until it is killed: node redis-node.ts URL NAME LEASE_MS */
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { openRedisLimits } from '../../apps/server/src/platform/limits/redis-limits.ts';
import { silentLog } from '../../apps/server/src/platform/log.ts';

const [url = '', name = '', leaseMs] = process.argv.slice(2);
const seats = new Map([[name, 1]]);
const shared = await openRedisLimits(url, {
  log: silentLog,
  timers: systemTimers,
  deadlineMs: 10_000,
  leaseMs: Number(leaseMs),
});
shared.setSlotSource(() => seats);
const answer = await shared.acquireConcurrencySlots([{ name, usedSlots: 1, limit: 1 }]);
process.stdout.write(answer?.full === undefined ? 'taken' : 'full');
setInterval(() => {}, 1_000);
