/** P6: a charge is never negative or absurd, regardless of reported usage and price list. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHARGE_MAX, priceCall, priceEstimate } from '../../apps/server/src/ledger/price-call.ts';
import { compareCharge, compareEstimate, pricedCases } from '../../apps/server/src/testing/price-oracle.ts';
import { UsageReport } from '../../packages/relay/src/dialects/chat/anthropic-messages/usage-report.ts';
import { OpenaiUsageReport } from '../../packages/relay/src/dialects/chat/openai-usage-extractor.ts';
import type { Usage } from '../../packages/relay/src/model/usage.ts';
import { pick, reportMeasurement } from '../tier.ts';

const CASES = pick(10_000, 20_000, 200_000);
const engine = { priceCall, priceEstimate };

test('charges and estimates equal big-number arithmetic for every price, ratio and usage', () => {
  fc.assert(
    fc.property(pricedCases, (priced) => {
      compareCharge(engine, priced);
      compareEstimate(engine, priced);
    }),
    { numRuns: CASES },
  );
  reportMeasurement('P6', `${CASES} prices, ratios and usages against a big-number oracle: 0 mismatches`);
});

const number = fc.oneof(
  fc.nat(100_000),
  fc.double(),
  fc.constantFrom<unknown>(-1, 1e308, Number.NaN, Number.POSITIVE_INFINITY, '12', '', null, undefined, true, [7], {}),
);
const anything = fc.oneof({ weight: 6, arbitrary: number }, { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) });
const some = (...names: string[]) =>
  fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
const orAnything = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) });

const openaiReport = fc
  .tuple(
    some('prompt_tokens', 'completion_tokens', 'total_tokens', 'num_search_queries', 'cached_tokens'),
    orAnything(some('cached_tokens', 'cache_write_tokens', 'audio_tokens', 'image_tokens')),
    orAnything(some('reasoning_tokens', 'audio_tokens', 'image_tokens')),
  )
  .map(([usage, prompt_tokens_details, completion_tokens_details]) => ({
    ...usage,
    prompt_tokens_details,
    completion_tokens_details,
  }));
const anthropicCounts = some('input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens');
const anthropicReport = fc
  .tuple(
    anthropicCounts,
    orAnything(some('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens')),
    orAnything(some('web_search_requests')),
    orAnything(fc.array(anthropicCounts, { maxLength: 3 })),
  )
  .map(([usage, cache_creation, server_tool_use, iterations]) => ({
    ...usage,
    cache_creation,
    server_tool_use,
    iterations,
  }));

function readBoth(openai: unknown, anthropic: unknown): Usage[] {
  const report = new OpenaiUsageReport();
  report.add({ usage: openai });
  return [report.usage, new UsageReport().add(anthropic).usage].flatMap((usage) => usage ?? []);
}

test('any usage object, read in any format, results in a charge from 0 to the maximum of a call', () => {
  let read = 0;
  let flagged = 0;
  fc.assert(
    fc.property(orAnything(openaiReport), orAnything(anthropicReport), pricedCases, (openai, anthropic, priced) => {
      for (const usage of readBoth(openai, anthropic)) {
        compareCharge(engine, { ...priced, usage });
        const { points, capped } = priceCall(priced.rule, priced.ratios, usage);
        expect(Number.isSafeInteger(points) && points >= 0 && points <= CHARGE_MAX).toBe(true);
        read += 1;
        if (capped) flagged += 1;
      }
    }),
    { numRuns: CASES },
  );
  expect(flagged).toBeGreaterThan(0);
  reportMeasurement(
    'P6',
    `${read} hostile usage reports read and charged: none negative or beyond the ceiling, ${flagged} flagged`,
  );
});
