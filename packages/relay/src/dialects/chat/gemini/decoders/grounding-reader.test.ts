import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../../exchange/plan-exchange.ts';
import type { DialectId } from '../../../../model/dialect-id.ts';
import { startCpuTimer } from '../../../../testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from '../../../../testing/sample-requests.ts';
import { ByteOffsets } from '../byte-offsets.ts';
import { GroundingReader } from './grounding-reader.ts';

const web = { web: { uri: 'https://lakes.test/mjosa', title: 'Lakes' } };
const file = { retrievedContext: { title: 'depths.pdf', text: 'Mjøsa: 453 m' } };
const text = 'Mjøsa is 453 m deep.';

/** Offsets of segments are bytes. */
const segment = { startIndex: 0, endIndex: Buffer.byteLength(text), text };

function supports(...indices: number[]): object[] {
  return [{ segment, groundingChunkIndices: indices }];
}

const metadata = {
  webSearchQueries: ['how deep is Mjøsa'],
  groundingChunks: [web, file],
  groundingSupports: supports(0, 1),
};

function chunk(candidate: object): object {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 8, totalTokenCount: 13 };
  return { candidates: [{ index: 0, ...candidate }], usageMetadata, modelVersion: 'm', responseId: 'r' };
}

function content(said: string): object {
  return { content: { role: 'model', parts: [{ text: said }] } };
}

/** Grounding metadata in a stream: queries may be sent long before the sources. */
const streams = {
  'all at the end': [
    chunk(content('Mjøsa is ')),
    chunk({ ...content('453 m deep.'), finishReason: 'STOP', groundingMetadata: metadata }),
  ],
  'queries first': [
    chunk({ ...content('Mjøsa is '), groundingMetadata: { webSearchQueries: metadata.webSearchQueries } }),
    chunk({ ...content('453 m deep.'), groundingMetadata: metadata }),
    chunk({ finishReason: 'STOP' }),
  ],
  'sources without text': [chunk(content(text)), chunk({ finishReason: 'STOP', groundingMetadata: metadata })],
};

const whole = chunk({ ...content(text), finishReason: 'STOP', groundingMetadata: metadata });

function answered(client: DialectId, stream: boolean, body: string): string {
  const plan = planExchange(
    sampleRequest(client, { stream, max_tokens: 9 }),
    sampleTarget('gemini', { model: 'gemini-2.5-flash' }),
  );
  const reader = plan.readResponse();
  return Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
}

const bodies: (readonly [string, boolean, string])[] = [
  ['whole', false, JSON.stringify(whole)],
  ...Object.entries(streams).map(
    ([name, chunks]) => [name, true, chunks.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')] as const,
  ),
];

describe.each(bodies)('the citations of a Gemini response (%s)', (_name, stream, body) => {
  it('reach a client of Messages', () => {
    const answer = answered('anthropic-messages', stream, body);
    expect(answer).toContain('"type":"web_search_result_location","url":"https://lakes.test/mjosa","title":"Lakes"');
    expect(answer).toContain('"type":"search_result_location","source":"depths.pdf","title":"depths.pdf"');
    expect(answer).toContain('how deep is Mjøsa');
  });

  it('reach a client of Responses', () => {
    const answer = answered('openai-responses', stream, body);
    const place = '"start_index":0,"end_index":20';
    expect(answer).toContain(`"type":"url_citation","url":"https://lakes.test/mjosa","title":"Lakes",${place}`);
    expect(answer).toContain('"type":"file_citation","file_id":"depths.pdf","filename":"depths.pdf","index":20');
    expect(answer).toContain('how deep is Mjøsa');
  });

  it('reach a client of Chat Completions', () => {
    const place = '"start_index":0,"end_index":20';
    expect(answered('openai-chat', stream, body)).toContain(
      `"url":"https://lakes.test/mjosa","title":"Lakes",${place}`,
    );
  });
});

it('omits a source with a URL of a megabyte, which would be compared for each citation', () => {
  const long = { web: { uri: `https://lakes.test/${'x'.repeat(1_000_000)}`, title: 'Lakes' } };
  const groundingMetadata = { groundingChunks: [long, web], groundingSupports: supports(0, 0, 1) };
  const events = new GroundingReader().read({ groundingMetadata }, new ByteOffsets());
  expect(events).toMatchObject([{ type: 'citation', citation: { url: 'https://lakes.test/mjosa' } }]);
});

it('compares a long URL once, however often it is cited', () => {
  const long = { web: { uri: `https://lakes.test/${'x'.repeat(8_000)}`, title: 'Lakes' } };
  const indices = Array.from({ length: 300_000 }, () => 0);
  const groundingSupports = [{ segment, groundingChunkIndices: indices }];
  const candidate = { groundingMetadata: { groundingChunks: [long], groundingSupports } };
  const readCpuMs = startCpuTimer();
  expect(new GroundingReader().read(candidate, new ByteOffsets())).toHaveLength(1);
  // With the URL in each comparison, it was several seconds.
  expect(readCpuMs()).toBeLessThan(1_000);
});
