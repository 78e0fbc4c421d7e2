import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import type { ResponseReader } from '../../../model/upstream-exchange.ts';
import { geminiRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { GeminiUsageExtractor } from './usage-extractor.ts';

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const target = sampleTarget('gemini', { model: 'gemini-2.5-flash' });

describe('usage in every event of a passing stream', () => {
  const event = (json: object): string => `data: ${JSON.stringify(json)}\r\n\r\n`;
  const chunk = (usageMetadata: object, candidate: object = {}): object => ({
    candidates: [{ content: { parts: [{ text: 'a 1' }] }, index: 0, ...candidate }],
    usageMetadata,
    modelVersion: 'gemini-2.5-flash',
  });
  const reader = (choices = 1): ResponseReader => {
    const asked = { contents, generationConfig: { candidateCount: choices } };
    return planExchange(geminiRequest(asked, { stream: true }), target).readResponse();
  };
  const counter = () => fc.constantFrom(undefined, null, 0, 7, 120);
  const report = () =>
    fc.record({
      promptTokenCount: counter(),
      candidatesTokenCount: counter(),
      thoughtsTokenCount: counter(),
      trafficType: fc.constantFrom(undefined, 'ON_DEMAND'),
    });
  const more = () =>
    fc.constantFrom(
      {},
      { groundingMetadata: { webSearchQueries: ['q'], groundingChunks: [{ web: {} }] } },
      { content: { parts: [{ functionCall: { name: 'f', args: { a: 12 } } }] } },
    );
  const stream = () => fc.array(fc.tuple(report(), more(), fc.boolean(), fc.boolean()), { maxLength: 12 });

  it('matches the usage of all events at any time, however many were skipped', () => {
    fc.assert(
      fc.property(stream(), (events) => {
        const passing = reader();
        const tap = new GeminiUsageExtractor(1);
        for (const [usage, candidate, isReportFirst, isAsked] of events) {
          const { usageMetadata, ...rest } = { usageMetadata: usage, ...chunk(usage, candidate) };
          const json = isReportFirst ? { usageMetadata, ...rest } : { ...rest, usageMetadata };
          passing.push(Buffer.from(event(json)));
          tap.readEvent(json);
          if (isAsked) expect(passing.meter.usage).toEqual(tap.usage);
        }
        expect(passing.meter.usage).toEqual(tap.usage);
        expect(passing.meter.deliveredCharacters).toBeGreaterThanOrEqual(tap.characters);
      }),
      { numRuns: 500 },
    );
  });

  it('does not hide the end after it, even if events differ in digits only', () => {
    const passing = reader(2);
    const ended = (index: number): string =>
      event({ usageMetadata: { promptTokenCount: 5 }, candidates: [{ index, finishReason: 'STOP' }] });
    passing.push(Buffer.from(ended(0)));
    expect(passing.meter.finished).toBe(false);
    passing.push(Buffer.from(ended(1)));
    expect(passing.meter.finished).toBe(true);
  });

  it('counts a call once even in a deferred event', () => {
    const passing = reader();
    const call = { content: { parts: [{ functionCall: { name: 'f', args: { a: 12 } } }] }, index: 0 };
    const text = event({ usageMetadata: { promptTokenCount: 5 }, candidates: [call] });
    passing.push(Buffer.from(text + text));
    expect(passing.meter.usage).toMatchObject({ input: 5 });
    expect(passing.meter.deliveredCharacters).toBe(2 * 'f{"a":12}'.length);
  });

  it('keeps the usage of a stream that broke off', () => {
    const passing = reader();
    for (const written of [1, 2, 30])
      passing.push(Buffer.from(event(chunk({ promptTokenCount: 9, candidatesTokenCount: written }))));
    expect(() => passing.end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
    expect(passing.meter.usage).toMatchObject({ input: 9, output: 30 });
  });
});
