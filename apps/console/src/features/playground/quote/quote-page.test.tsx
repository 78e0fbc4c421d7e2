import { screen, waitFor, within } from '@testing-library/react';
import { EditorView } from '@uiw/react-codemirror';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show, showApp } from '../../../testing/render.tsx';
import { wireApiKey, wireNoFactor, wirePage, wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { QuotePage } from './quote-page.tsx';

const page = <QuotePage />;
const offer = {
  group: 'default',
  price_model: 'gpt-5*',
  price_type: 'tokens',
  hold: 5_000,
  input_cost: 500,
  cost_per_1000_output_tokens: 4_500,
  verdicts: [],
};
const wireQuote = { refusal: null, model: 'gpt-5-mini', input_tokens: 9, output_tokens: 1000, limits: [], offer };

// jsdom has no layout in which the editor could measure its lines.
Object.assign(Range.prototype, { getClientRects: () => [] });

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/second_factor', () => succeed(wireNoFactor));
  script('get', '/api/user_group_map', () => succeed({}));
  script('get', '/api/user/models', () => succeed(['claude-haiku-4-5', 'gpt-5-mini', 'text-embedding-3-large']));
  script('get', '/api/token/', () => succeed(wirePage([wireApiKey(3), wireApiKey(4)])));
});

const scriptQuote = (quote: unknown) => script('post', '/api/quote', () => succeed(quote));
const checkButton = () => screen.findByRole('button', { name: 'Check' });

/** Returns the request editor's view, because it has no field into which a test could type. */
async function editor(): Promise<EditorView> {
  const view = EditorView.findFromDOM(await screen.findByLabelText('Request body'));
  if (view === null) throw new Error('no editor');
  return view;
}

async function write(text: string) {
  const view = await editor();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

it('asks for a quote with the token of the URL and a valid sample request', async () => {
  const asked = scriptQuote(wireQuote);
  const { user } = show(page, '/panel/quote?token=4');
  await user.click(await checkButton());
  expect(await screen.findByText('Would be accepted')).toBeTruthy();
  expect(asked.map(({ body }) => body)).toEqual([
    {
      token_id: 4,
      path: '/v1/chat/completions',
      request: { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Hello!' }] },
    },
  ]);
});

it('asks without a token unless one is selected', async () => {
  const asked = scriptQuote(wireQuote);
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  await screen.findByText('Would be accepted');
  await user.click(screen.getByRole('combobox', { name: 'Token' }));
  await user.click(await screen.findByRole('option', { name: 'key 3' }));
  await user.click(await checkButton());
  await waitFor(() => expect(asked.map(({ body }) => body)).toMatchObject([{ token_id: null }, { token_id: 3 }]));
});

it('shows a token that is not in the list by its id', async () => {
  show(page, '/panel/quote?token=812');
  expect((await screen.findByRole('combobox', { name: 'Token' })).textContent).toBe('#812');
});

it('starts with a sample for the endpoint and keeps the text of each endpoint', async () => {
  const { user } = show(page, '/panel/quote');
  await write('{"model":"mine"}');
  const choose = async (path: string) => {
    await user.click(screen.getByRole('combobox', { name: 'Endpoint' }));
    await user.click(await screen.findByRole('option', { name: path }));
    return JSON.parse((await editor()).state.doc.toString()) as unknown;
  };
  expect(await choose('/v1/messages')).toMatchObject({ model: 'claude-haiku-4-5', max_tokens: 1000 });
  expect(await choose('/v1/completions')).toMatchObject({ model: 'gpt-5-mini', prompt: 'Hello!' });
  expect(await choose('/v1/embeddings')).toMatchObject({ model: 'text-embedding-3-large' });
  expect(await choose('/v1/chat/completions')).toEqual({ model: 'mine' });
});

it.each(['{"model": }', '["a"]', 'null', ''])('rejects %j as a request and sends nothing', async (text) => {
  const asked = scriptQuote(wireQuote);
  const { user } = show(page, '/panel/quote');
  await write(text);
  await user.click(await checkButton());
  expect(await screen.findByText(/Not a JSON object/)).toBeTruthy();
  expect(asked).toEqual([]);
  await write('{"model":"m"}');
  await user.click(await checkButton());
  await waitFor(() => expect(asked.map(({ body }) => body)).toMatchObject([{ request: { model: 'm' } }]));
});

it('shows the client’s error and, if known, the amounts', async () => {
  const message = 'The token "ci" has 120 points left; this request needs 5,000.';
  scriptQuote({ ...wireQuote, refusal: { status: 402, code: 'insufficient_quota', message } });
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  expect(await screen.findByText('Would be rejected')).toBeTruthy();
  expect(screen.getByText('HTTP 402')).toBeTruthy();
  expect(screen.getByText('insufficient_quota')).toBeTruthy();
  expect(screen.getByText(message)).toBeTruthy();
  expect(valueOf('Hold')).toBe('$0.01');
});

it('shows no figures for a request that could not be read', async () => {
  const refusal = { status: 400, code: 'invalid_request', message: 'model is required' };
  scriptQuote({ ...wireQuote, refusal, model: '', input_tokens: 0, output_tokens: 0, offer: null });
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  await screen.findByText('model is required');
  expect(screen.queryByRole('term')).toBeNull();
});

it('shows the reservation, the cost and the remaining limits', async () => {
  const limits = [
    { policy: 'user-requests', unit: 'requests', limit: 60, remaining: 59, reset_in: 1 },
    { policy: 'of-a-newer-server', unit: 'tokens', limit: 2_000, remaining: 1_000, reset_in: 0 },
  ];
  scriptQuote({ ...wireQuote, limits });
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  await screen.findByText('Would be accepted');
  expect(valueOf('Model')).toBe('gpt-5-mini');
  expect(valueOf('Prompt (estimate)')).toBe('9 tokens');
  expect(valueOf('Max output')).toBe('1,000 tokens');
  expect(valueOf('Price entry')).toBe('gpt-5*');
  expect(valueOf('Hold')).toBe('$0.01');
  expect(valueOf('Prompt cost')).toBe('$0.001');
  expect(valueOf('Cost per 1,000 output tokens')).toBe('$0.009');
  expect(valueOf('Requests of the user')).toBe('59 of 60 per minute remaining · full limit in 1 sec');
  expect(valueOf('of-a-newer-server')).toBe('1,000 of 2,000 per minute remaining');
});

it('shows the price of a call for a price per call', async () => {
  scriptQuote({
    ...wireQuote,
    offer: { ...offer, price_type: 'times', input_cost: 20_000, cost_per_1000_output_tokens: 0 },
  });
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  await screen.findByText('Would be accepted');
  expect(valueOf('Call cost')).toBe('$0.04');
  expect(screen.queryByText('Cost per 1,000 output tokens')).toBeNull();
});

it('shows administrators every channel with its routing decision', async () => {
  const verdict = { until: 0, lacks: '' };
  const verdicts = [
    { ...verdict, channel_id: 1, channel_name: 'first', reason: 'lacks', lacks: 'tools' },
    { ...verdict, channel_id: 2, channel_name: 'second', reason: 'cheapest' },
    { ...verdict, channel_id: 9, channel_name: '', reason: 'lower-priority' },
  ];
  scriptQuote({ ...wireQuote, offer: { ...offer, verdicts } });
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  const heading = await screen.findByRole('heading', { name: 'Channels' });
  const items = within(heading.parentElement ?? document.body).getAllByRole('listitem');
  expect(items.map(({ textContent }) => textContent)).toEqual([
    'firstdoes not support: Tools',
    'secondcheapest',
    '#9lower priority',
  ]);
});

it('marks a quote as outdated after the request has changed', async () => {
  scriptQuote(wireQuote);
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  await screen.findByText('Would be accepted');
  expect(screen.queryByText(/has changed since/)).toBeNull();
  await write('{"model":"another"}');
  expect(await screen.findByText(/has changed since/)).toBeTruthy();
  await user.click(await checkButton());
  await waitFor(() => expect(screen.queryByText(/has changed since/)).toBeNull());
});

it('shows an error with its request id and a retry button', async () => {
  let broken = true;
  script('post', '/api/quote', () => (broken ? refuse('internal', 500, { request_id: 'req-17' }) : succeed(wireQuote)));
  const { user } = show(page, '/panel/quote');
  await user.click(await checkButton());
  expect(await screen.findByText(/req-17/)).toBeTruthy();
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Would be accepted')).toBeTruthy();
});

it('opens from a token’s menu and from the palette', async () => {
  script('get', '/api/notice', () => succeed(''));
  script('get', '/api/user/self', () => succeed(wireSelf));
  const { user, router } = showApp('/panel/token');
  await user.click((await screen.findAllByRole('button', { name: 'More' }))[1] ?? document.body);
  await user.click(await screen.findByRole('menuitem', { name: 'Check a request' }));
  expect(await screen.findByRole('heading', { name: 'Check a request' })).toBeTruthy();
  expect(router.state.location.href).toBe('/panel/quote?token=4');
  expect(screen.queryByRole('link', { name: 'Check a request' })).toBeNull();
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', { name: /Page, token/ }), 'check a');
  expect(await screen.findByRole('option', { name: /Check a request/ })).toBeTruthy();
});

/** Returns the text of the entry with this name. */
function valueOf(name: string): string | null | undefined {
  return screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;
}
