import { describe, expect, test } from 'vitest';
import { planExchange } from './exchange/plan-exchange.ts';
import { readRequest } from './exchange/read-request.ts';
import { objectOf, parseJson } from './json/json.ts';
import { startCpuTimer } from './testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

const target = sampleTarget('midjourney', { model: 'mj_imagine' });
const ways = {
  'a picture': (prompt: string) => sampleRequest('openai-images', { image: undefined, prompt }),
  'a drawing': (prompt: string) => ordered('submit/imagine', { prompt }),
  'a window’s answer': (prompt: string) => ordered('submit/modal', { prompt, taskId: 'x' }),
};

function ordered(path: string, body: object) {
  const route = { operation: 'drawing', format: 'midjourney', submission: { path, mode: 'fast' } } as const;
  return readRequest(route, Buffer.from(JSON.stringify(body)), {});
}

describe.each(Object.entries(ways))('the prompt of %s', (_, requestFor) => {
  const sent = (prompt: string) => planExchange(requestFor(prompt), target);
  const promptOf = (prompt: string) => objectOf(parseJson(sent(prompt).body.toString()))['prompt'];

  test.each([
    ['a cat --turbo', 'a cat'],
    ['a cat —turbo', 'a cat'],
    ['a cat –Fast', 'a cat'],
    ['a cat——relax --ar 2:3', 'a cat --ar 2:3'],
    ['a cat －－turbo −−hd ﹣﹣video ‐‐fast ‑‑fast', 'a cat'],
    ['a cat\n--TURBO\n--ar 2:3', 'a cat --ar 2:3'],
    ['a cat - --fast-turbo', 'a cat - -turbo'],
    ['a cat --{turbo', 'a cat -- turbo'],
    ['a cat --q 4 --ar 2:3', 'a cat --ar 2:3'],
    ['a cat --quality=4--turbo', 'a cat'],
    ['a cat --repeat 9 --r 9 --video --hd', 'a cat'],
    ['a {red, blue} cat', 'a red, blue cat'],
  ])('loses parameters that change the price, speed or number of images: %j', (prompt, plain) => {
    expect(promptOf(prompt)).toBe(plain);
    expect(sent(prompt).dropped).toContain('prompt.parameters');
  });

  test.each(['an ultra-fast  car, an ultra‑fast one', 'a cat --raw --s 50', 'quality - high'])(
    'keeps %j unchanged',
    (prompt) => {
      expect(promptOf(prompt)).toBe(prompt);
      expect(sent(prompt).dropped).not.toContain('prompt.parameters');
    },
  );

  test.each([' ', '-', '—', '－', '--q ', '--q='])('is scanned in linear time if it consists of %j', (piece) => {
    const longest = piece.repeat(99_999 / piece.length);
    const readCpuMs = startCpuTimer();
    sent(`${longest}x`);
    expect(readCpuMs()).toBeLessThan(200);
    expect(() => requestFor(`${longest}{longer}`)).toThrow('Send at most 100,000.');
  });
});

test.each([
  ['mj_imagine', 'MID_JOURNEY', undefined],
  ['mj_turbo_imagine', 'MID_JOURNEY', 'TURBO'],
  ['mj_relax_niji', 'NIJI_JOURNEY', 'RELAX'],
])('draws %s with the bot %s and the speed %s', (model, botType, mode) => {
  const { body } = planExchange(sampleRequest('openai-images', { image: undefined }), { ...target, model });
  const accountFilter = mode && { modes: [mode] };
  expect(parseJson(body.toString())).toMatchObject({ botType, ...(accountFilter && { accountFilter }) });
});

test.each(['mj_imagine_turbo', 'mj_fooo', 'mj_relax_turbo_imagine', 'MJ_TURBO_imagine', 'midjourney-turbo'])(
  'refuses the invented model %s, which a wildcard may price like another',
  (model) => {
    const request = sampleRequest('openai-images', { image: undefined });
    expect(() => planExchange(request, { ...target, model })).toThrow('is not one of Midjourney');
  },
);
