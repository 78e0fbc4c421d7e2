import { cachedTokens, conversationUsage, promptTokens, type Usage } from '@switchyard/relay/usage';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExpectedResponse, type ExpectedUsage, readExpectedResponse } from './expected-response.ts';
import { checkReadable } from './readable-stream.ts';
import { buildBody, type Dialect, dialects, hasRecordings, type Recording, recordings } from './recorded-files.ts';
import { cutAtShares, playRecording } from './relay-run.ts';
import { readWithSdk } from './sdk-clients.ts';

if (!hasRecordings) {
  console.log('Recorded provider traffic was not found; this suite is left out. Set RECORDED_FIXTURES to its folder.');
}

type ExpectedCall = ExpectedResponse['toolCalls'][number];

function totals(reported: Usage | undefined): unknown {
  if (reported === undefined) return undefined;
  const usage = conversationUsage(reported);
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h;
  return {
    input: promptTokens(usage),
    cachedRead: cachedTokens(usage),
    cacheWrite,
    output: usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput,
    reasoning: usage.reasoning,
  };
}

function otherDialects(recording: Recording): readonly Dialect[] {
  return dialects.filter((dialect) => dialect !== recording.dialect);
}

describe.runIf(hasRecordings)('recorded provider traffic', () => {
  it('is complete', () => {
    expect(recordings.length).toBeGreaterThan(80);
  });

  describe.each(recordings.map((recording) => [recording.name, recording] as const))('%s', (_, recording) => {
    const body = buildBody(recording);
    const expected = readExpectedResponse(recording);

    it('passes through byte for byte and is metered as reported', () => {
      const { bytes, reader } = playRecording(recording, recording.dialect, [body]);
      expect(bytes.equals(body)).toBe(true);
      expect(totals(reader.meter.usage)).toEqual(expected.usage);
      expect(reader.meter.finished).toBe(true);
      const wrote = expected.text !== '' || expected.toolCalls.length > 0;
      if (wrote) expect(reader.meter.deliveredCharacters).toBeGreaterThan(0);
    });

    it.each(otherDialects(recording))('has the same content for a client of %s', async (client) => {
      const { bytes, reader } = playRecording(recording, client, [body]);
      const seen = await readWithSdk(client, bytes, recording.isStream);
      expect(seen.text).toBe(expected.text);
      expect(seen.toolCalls).toEqual(asWritten(client, expected.toolCalls));
      if (expected.usage !== undefined) expect(seen.usage).toEqual(asCounted(client, expected.usage));
      expect(totals(reader.meter.usage)).toEqual(expected.usage);
      if (recording.isStream) checkReadable(client, bytes, true);
    });

    it('is read the same however its bytes are split', () => {
      const passed = playRecording(recording, recording.dialect, [body], false);
      const translated = otherDialects(recording).map((client) => playRecording(recording, client, [body]));
      const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 12 });
      fc.assert(
        fc.property(cuts, (shares) => {
          const chunks = cutAtShares(body, shares);
          const again = playRecording(recording, recording.dialect, chunks, false);
          expect(again.bytes.equals(passed.bytes)).toBe(true);
          expect(again.reader.meter).toEqual(passed.reader.meter);
          for (const [index, client] of otherDialects(recording).entries()) {
            const translatedAgain = playRecording(recording, client, chunks);
            expect(withoutTime(translatedAgain.bytes)).toBe(withoutTime(translated[index]?.bytes));
            expect(translatedAgain.reader.meter).toEqual(translated[index]?.reader.meter);
            expect(translatedAgain.reader.dropped).toEqual(translated[index]?.reader.dropped);
          }
        }),
        { numRuns: 8 },
      );
    });
  });
});

/** Values that differ between equal responses. */
function withoutTime(bytes: Buffer | undefined): string {
  return String(bytes)
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/"resp_[0-9a-f]{32}"/g, '"resp_"');
}

/** Gemini has no field for cache writes. */
function asCounted(client: Dialect, usage: ExpectedUsage): ExpectedUsage {
  return client === 'gemini' ? { ...usage, cacheWrite: 0 } : usage;
}

/** Nor does it support arguments that are no object. */
function asWritten(client: Dialect, calls: ExpectedCall[]): ExpectedCall[] {
  return client === 'gemini'
    ? calls.map(({ name, input }) => ({ name, input: typeof input === 'string' ? { _raw: input } : input }))
    : calls;
}
