import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf, parseJson } from '../../json/json.ts';
import { emptyUsage } from '../../model/usage.ts';
import { UsageReport } from '../chat/gemini/usage-report.ts';
import { geminiEmbeddings, JoinedEmbeddings, splitBatch } from './gemini-embeddings.ts';

const bytes = (answer: unknown) => Buffer.from(JSON.stringify(answer));
const reported = (tokens: number) => ({ promptTokenCount: tokens, totalTokenCount: tokens });

describe('the calls of a batch', () => {
  it('contain their part of the request in the form of a single call', () => {
    const content = { parts: [{ text: 'x' }] };
    expect(
      splitBatch({
        requests: [
          { model: 'models/gemini-embedding-2', content, outputDimensionality: 64 },
          { content, taskType: 'RETRIEVAL_QUERY' },
        ],
      }),
    ).toEqual([
      { content, embedContentConfig: { outputDimensionality: 64 } },
      { content, taskType: 'RETRIEVAL_QUERY' },
    ]);
  });

  it('does not split a request with a single content', () => {
    expect(splitBatch({ content: { parts: [{ text: 'x' }] } })).toBeUndefined();
  });
});

describe.each(['promptTokenDetails', 'promptTokensDetails', 'prompt_token_details'])('tokens in `%s`', (field) => {
  const read = (answer: unknown) => geminiEmbeddings.readNonStreaming(objectOf(answer), new Set(), {}).usage;

  it.each([
    ['AUDIO', 'audioInput'],
    ['IMAGE', 'imageInput'],
    ['VIDEO', 'audioInput'],
    ['TEXT', 'input'],
  ] as const)('count %s as `%s`, in one response and in joined ones', (modality, counter) => {
    const usageMetadata = { ...reported(60), [field]: [{ modality, tokenCount: 60 }] };
    const answer = { embedding: { values: [1] }, usageMetadata };
    expect(read(answer)).toEqual({ ...emptyUsage(), [counter]: 60 });
    const joined = new JoinedEmbeddings();
    joined.add(0, bytes(answer));
    joined.add(1, bytes(answer));
    expect(read(parseJson(joined.end().toString()))).toEqual({ ...emptyUsage(), [counter]: 120 });
  });
});

describe('joined responses', () => {
  it('follow the order of the texts, with the sum of the usage', () => {
    const vectors = fc.array(
      fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 1, max: 9_000 })),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(vectors, fc.integer(), (made, seed) => {
        const joined = new JoinedEmbeddings();
        const order = made.map((_, nth) => nth).toSorted((a, b) => ((a * seed) % 7) - ((b * seed) % 7));
        for (const nth of order) {
          const [value, tokens] = made[nth] ?? [0, 0];
          const answer = { embedding: { values: [value] }, usageMetadata: reported(tokens) };
          expect(joined.add(nth, bytes(answer))).toBe(true);
        }
        const json = JSON.parse(joined.end().toString()) as Record<string, unknown>;
        expect(json['embeddings']).toEqual(made.map(([value]) => ({ values: [JSON.parse(JSON.stringify(value))] })));
        const sum = made.reduce((all, [, tokens]) => all + tokens, 0);
        const report = new UsageReport();
        report.add(json);
        expect(report.usage).toEqual({ ...emptyUsage(), input: sum });
      }),
    );
  });

  it('have unknown usage if one call reports none', () => {
    const joined = new JoinedEmbeddings();
    joined.add(0, bytes({ embedding: { values: [1] }, usageMetadata: reported(4) }));
    joined.add(1, bytes({ embedding: { values: [2] } }));
    expect(JSON.parse(joined.end().toString())).toEqual({ embeddings: [{ values: [1] }, { values: [2] }] });
  });

  it.each([
    {},
    null,
    [],
    { embeddings: [{ values: [1] }] },
    { error: { code: 429, message: 'Quota exceeded' } },
    { embedding: { values: [1] }, error: { code: 500 } },
  ])('are not joined from %j', (answer) => {
    expect(new JoinedEmbeddings().add(0, bytes(answer))).toBe(false);
  });

  it('refuses a response that is not JSON', () => {
    expect(new JoinedEmbeddings().add(0, Buffer.from('<html>'))).toBe(false);
    const large = bytes({ embedding: { values: [1], title: 'x'.repeat(1_048_576) } });
    expect(new JoinedEmbeddings().add(0, large)).toBe(false);
  });
});
