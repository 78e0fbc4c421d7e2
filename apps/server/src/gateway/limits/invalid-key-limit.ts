/**
 * Limits how often an address, or an IPv6 network, may present invalid keys or sessions. Valid ones from the same
 * address are always served.
 */
import { type Clock, sleep, systemTimers } from '../../platform/clock.ts';
import { createLocalLimit, toNetwork } from '../../platform/limits/rate-limit.ts';
import { RelayError } from '../http/relay-error.ts';

const FAILURES_PER_MINUTE = 300;
const MINUTE_MS = 60_000;
/** A refusal costs as much as a response; delaying it slows a flood down, because its connections wait. */
const REFUSAL_DELAY_MS = 1_000;

/** @throws what `identify` throws, or RelayError `rate_limit_exceeded` instead of `invalid_api_key` */
export type LimitInvalidKeys = <T>(addressOf: () => string, identify: () => T | Promise<T>) => Promise<T>;

/** @param timers real timers, because the wait holds a connection */
export function createInvalidKeyLimit(clock: Clock, timers = systemTimers): LimitInvalidKeys {
  const failures = createLocalLimit(clock, FAILURES_PER_MINUTE, MINUTE_MS);
  return async (addressOf, identify) => {
    try {
      return await identify();
    } catch (error) {
      if (!(error instanceof RelayError) || error.code !== 'invalid_api_key') throw error;
      const address = addressOf();
      if (failures.tryConsume(toNetwork(address))) throw error;
      await sleep(timers, REFUSAL_DELAY_MS);
      throw new RelayError(
        'rate_limit_exceeded',
        `The address ${address} presented more than ${FAILURES_PER_MINUTE} invalid keys within a minute. Retry with a valid key.`,
        { retryAfterSeconds: MINUTE_MS / 1_000, cause: error },
      );
    }
  };
}
