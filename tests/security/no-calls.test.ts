/** A model's response causes no requests (P16): tries every element with every attribute in a real browser. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listen } from '../listen.ts';
import { sampleOf } from '../tier.ts';
import { attributeNames, buildMarkup, elementContexts, listLoadingValues } from './markup-names.ts';
import { type HostileSite, openWatchedPage, startHostileSite, type WatchOptions } from './watched-page.ts';

/** An address of another host, over the protocol that the page's policy allows for images, and one of the gateway. */
const HOSTILE = 'https://evil.example/a';
const OWN = '/api/user/logout';
/** The console reads up to 200,000 characters at once as Markdown. */
const RESPONSE_CHARACTERS = 150_000;
/** Every short run tries others; the full run tries all of them. */
const RESPONSES_OF_A_DAY = 6;

let scene: RelayScene;
let site: HostileSite;
let upstream: Server;
let answer = '';

beforeAll(async () => {
  [scene, site] = await Promise.all([startRelayScene(), startHostileSite()]);
  await removeRateLimits(scene.admin);
  upstream = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: answer } }] })}\n\n`);
      response.end(
        'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n',
      );
    });
  });
  const port = await listen(upstream);
  await scene.newChannel({ base_url: `http://127.0.0.1:${port}`, models: ['hostile'] });
});
afterAll(async () => {
  upstream.closeAllConnections();
  upstream.close();
  await Promise.all([scene.close(), site.close()]);
});
beforeEach(() => {
  site.calls.length = 0;
});

/** Every element with every attribute and alternating values, in responses of a readable size. */
function hostileResponses(): string[] {
  const values = [HOSTILE, OWN].flatMap(listLoadingValues);
  const responses: string[] = [];
  let text = '';
  for (const [nth, place] of elementContexts.entries()) {
    const block = buildMarkup(place, (index) => values[(nth + index) % values.length] ?? '');
    if (text.length + block.length > RESPONSE_CHARACTERS) responses.push(text);
    text = text.length + block.length > RESPONSE_CHARACTERS ? block : `${text}\n\n${block}`;
  }
  return [...responses, text];
}

/** Shows each response in a separate conversation. @returns the page's requests besides the console's own */
async function show(responses: readonly string[], options: WatchOptions = {}): Promise<string[]> {
  const { page, context, incidents } = await openWatchedPage(site.browser, scene.url, {
    cookie: scene.user.identity['cookie'],
    ...options,
  });
  page.on('request', (request) => {
    const { hostname, pathname, href } = new URL(request.url());
    if (hostname === 'evil.example' || pathname.startsWith(OWN)) incidents.push(`asked for ${href}`);
  });
  for (const [nth, text] of responses.entries()) {
    answer = `${text}\n\n**end ${nth}**`;
    await page.goto(`${scene.url}/panel/playground?model=hostile`);
    await page.getByRole('textbox', { name: 'Question' }).fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('strong', { hasText: `end ${nth}` }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Regenerate' }).first().waitFor();
  }
  await page.waitForTimeout(500);
  await context.close();
  return incidents;
}

test('no element with any attribute of a response loads anything', async () => {
  expect(elementContexts.length * attributeNames.length).toBeGreaterThan(90_000);
  expect(await show(sampleOf(hostileResponses(), RESPONSES_OF_A_DAY))).toEqual([]);
  expect(site.calls).toEqual([]);
});

test('without sanitiser and policy such a response does load', async () => {
  const svg = `<div><svg><rect width="9" height="9" fill="url(${HOSTILE}#a)"></rect><image href="${HOSTILE}"></image></svg><img src="${HOSTILE}"></div>`;
  await show([svg], { withoutSanitiser: true, withoutPolicy: true });
  await expect.poll(() => site.calls.length).toBeGreaterThan(0);
});
