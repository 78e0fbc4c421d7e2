import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../json/json.ts';
import { GroundingCounts } from './usage-report.ts';

const PRO = 'gemini-2.5-pro';
const FLASH = 'gemini-3-flash-preview';

function grounded(queries: readonly string[], sources: readonly string[], more: JsonObject = {}): JsonObject {
  const groundingChunks = sources.map((source) => ({ [source]: { uri: 'https://example.org', title: 't' } }));
  return { groundingMetadata: { webSearchQueries: queries, groundingChunks }, ...more };
}

/** Candidate whose searches for images found images, with further metadata. */
function withImages(queries: readonly string[], sources: readonly string[], more: JsonObject = {}): JsonObject {
  const groundingChunks = sources.map((source) => ({ [source]: { imageUri: 'https://example.org/a.png' } }));
  return { groundingMetadata: { imageSearchQueries: queries, groundingChunks, ...more } };
}

const readsPages = { urlContextMetadata: { urlMetadata: [{ retrievedUrl: 'https://example.org' }] } };

test.each<[string, string, JsonObject[], number, number]>([
  ['nothing without grounding', FLASH, [{}], 0, 0],
  ['empty queries alone', FLASH, [grounded(['', ' '], [])], 0, 0],
  ['a query without a source', FLASH, [grounded(['rain'], [])], 1, 0],
  ['a source without a query', FLASH, [grounded([], ['web'])], 1, 0],
  ['queries of the web', FLASH, [grounded(['rain', 'snow', 'rain'], ['web'])], 2, 0],
  ['queries of the web by the prompt', PRO, [grounded(['rain', 'snow'], ['web'])], 1, 0],
  ['a stored file as the only source', FLASH, [grounded([], ['retrievedContext'])], 0, 0],
  ['pages that were read', FLASH, [grounded([], ['web'], readsPages)], 0, 0],
  ['Maps without a query', FLASH, [grounded([], ['maps'])], 0, 1],
  ['queries of Maps', FLASH, [grounded(['cafe', 'park', 'cafe', ''], ['maps'])], 0, 2],
  ['queries of Maps by the prompt', PRO, [grounded(['cafe', 'park'], ['maps', 'maps'])], 0, 1],
  ['queries of Maps before their sources', FLASH, [grounded(['cafe'], []), grounded([], ['maps'])], 0, 1],
  ['Maps beside pages that were read', FLASH, [grounded(['cafe'], ['maps', 'web'], readsPages)], 0, 1],
  ['both by the prompt', PRO, [grounded(['cafe', 'rain'], ['maps', 'web'])], 1, 1],
  ['both by the query', FLASH, [grounded(['cafe', 'rain', 'snow'], ['maps', 'web'])], 2, 1],
  ['both with a single query', FLASH, [grounded(['cafe'], ['maps', 'web'])], 1, 1],
  ['queries for images', FLASH, [withImages(['owl', 'fox', 'owl', ' '], ['image'])], 2, 0],
  ['an image without a query', FLASH, [withImages([], ['image'])], 1, 0],
  ['queries for images by the prompt', PRO, [withImages(['owl', 'fox'], ['image'])], 1, 0],
  ['queries of both kinds', FLASH, [withImages(['owl'], ['web'], { webSearchQueries: ['owl', 'rain'] })], 3, 0],
  ['queries of Maps and for images', FLASH, [grounded(['cafe'], ['maps']), withImages(['owl'], ['image'])], 1, 1],
  ['queries for images in snake case', FLASH, [{ grounding_metadata: { image_search_queries: ['owl', 'fox'] } }], 2, 0],
  ['snake case', FLASH, [{ grounding_metadata: { grounding_chunks: [{ maps: {} }] } }], 0, 1],
  [
    'sources that are no objects',
    FLASH,
    [grounded([], []), { groundingMetadata: { groundingChunks: [{ maps: true }] } }],
    0,
    0,
  ],
])('counts %s', (_what, model, candidates, webSearch, mapsGrounding) => {
  const counts = new GroundingCounts();
  for (const candidate of candidates) counts.add(candidate);
  expect(counts.countsFor(model)).toEqual({ webSearch, mapsGrounding });
});

test('bills each query once however the answer is cut into chunks', () => {
  const words = fc.uniqueArray(
    fc.string({ minLength: 1 }).filter((word) => word.trim() !== ''),
    { maxLength: 8 },
  );
  const sources = fc.subarray(['web', 'maps']);
  fc.assert(
    fc.property(words, sources, fc.boolean(), (queries, cited, isRepeated) => {
      const counts = new GroundingCounts();
      for (const query of queries) counts.add(grounded([query], []));
      counts.add(grounded(isRepeated ? queries : [], cited));
      const { webSearch, mapsGrounding } = counts.countsFor(FLASH);
      expect(webSearch + mapsGrounding).toBe(Math.max(queries.length, cited.length));
      expect(mapsGrounding > 0).toBe(cited.includes('maps'));
    }),
  );
});
