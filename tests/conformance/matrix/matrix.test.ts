/**
 * Every client dialect with every upstream dialect, through the whole gateway: the vendors' own client libraries on one
 * side, scripted vendors that know only their own dialect on the other. The results are written into
 * `docs/translation-matrix.md` (`npm exec -- vitest run --config tests/vitest.config.ts --project conformance -u
 * tests/conformance/matrix`).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendQuestion } from './cell.ts';
import { sendWithAnthropic as askAnthropicMessages } from './client-anthropic-messages.ts';
import { sendWithGemini as askGemini } from './client-gemini.ts';
import { sendWithOpenaiChat as askOpenaiChat } from './client-openai-chat.ts';
import { sendWithOpenaiResponses as askOpenaiResponses } from './client-openai-responses.ts';
import { listLosses } from './losses.ts';
import { type MatrixScene, startMatrixScene } from './matrix-scene.ts';
import {
  answersByScenario,
  type ClientResult,
  type DialectName,
  dialectNames,
  forecast,
  oddlyNamedTool,
  oslo,
  PNG,
  QUESTION,
  RESULT,
  type ReceivedRequest,
  renamedTool,
  type Scenario,
  SYSTEM,
  scenarios,
  weather,
} from './scenario.ts';
import { buildModelName } from './upstreams.ts';
import { type Cells, writeMatrix } from './write-matrix.ts';

const clients: Readonly<Record<DialectName, SendQuestion>> = {
  'openai-chat': askOpenaiChat,
  'openai-responses': askOpenaiResponses,
  'anthropic-messages': askAnthropicMessages,
  gemini: askGemini,
};

let scene: MatrixScene;
const cells: Cells = [];

beforeAll(async () => {
  scene = await startMatrixScene();
});
afterAll(() => scene.close());

async function askThrough(
  client: DialectName,
  upstream: DialectName,
  scenario: Scenario,
  stream: boolean,
): Promise<ClientResult> {
  let dropped = '';
  const tellDropped = (headers: Headers): void => {
    dropped = headers.get('x-switchyard-dropped') ?? '';
  };
  const noting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    tellDropped(response.headers);
    return response;
  };
  const seen = await clients[client](
    { scenario, model: buildModelName(upstream, scenario), stream },
    { url: scene.url, key: scene.key, fetch: noting, recordUnsupportedFields: tellDropped },
  );
  return { ...seen, dropped };
}

/** @param toolName name of the tool in the upstream's dialect */
function expectHeard(scenario: Scenario, heard: ReceivedRequest | undefined, toolName: string): void {
  const tools = [{ name: toolName, parameters: weather.parameters }];
  const hasTools = ['tools', 'parallel tools', 'tool names', 'tool results'].includes(scenario);
  const isLooped = scenario === 'tool results';
  expect(heard).toEqual({
    system: SYSTEM,
    texts: [QUESTION],
    images: scenario === 'image in' ? [{ mediaType: 'image/png', base64: PNG }] : [],
    tools: hasTools ? tools : [],
    calls: isLooped ? [{ name: oslo.name, input: oslo.input }] : [],
    results: isLooped ? [{ name: oslo.name, text: RESULT }] : [],
    thinks: scenario === 'reasoning',
    schema: scenario === 'structured output' ? forecast : undefined,
  });
}

function expectSeen(scenario: Scenario, seen: ClientResult): void {
  const scenarioAnswer = answersByScenario[scenario];
  const calls = scenarioAnswer.calls ?? [];
  expect(seen).toEqual({
    text: scenarioAnswer.text ?? '',
    reasoning: scenarioAnswer.reasoning ?? '',
    calls: calls.map(({ name, input }) => ({ name, input })),
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
    usage: scenarioAnswer.usage,
    dropped: '',
  });
}

describe.each(dialectNames)('a client that speaks %s', (client) => {
  describe.each(dialectNames)('with a model behind %s', (upstream) => {
    describe.each([false, true])('streamed: %s', (stream) => {
      it.each(scenarios)('%s', async (scenario) => {
        const asking = askThrough(client, upstream, scenario, stream);
        if (scenario === 'error') await expect(asking).rejects.toThrow('limit the rate of this gateway');
        else if (scenario === 'cut stream') await expect(asking).rejects.toThrow();
        else expectSeen(scenario, await asking);
        const last = scene.upstreams.takeLastRequest();
        expect(last?.dialect).toBe(upstream);
        const oddName = client === upstream ? oddlyNamedTool.name : renamedTool[upstream];
        expectHeard(scenario, last?.heard, scenario === 'tool names' ? oddName : weather.name);
        cells.push({ client, upstream, scenario, stream });
      });
    });
  });
});

it.each(dialectNames)('no field of a request in %s is lost when its bytes are passed through', (client) => {
  for (const { field, at } of listLosses(client)) expect(at[client], field).toBe('');
});

it('the published matrix is up to date', async () => {
  const file = join(import.meta.dirname, '../../../docs/translation-matrix.md');
  await expect(writeMatrix(cells)).toMatchFileSnapshot(file);
});
