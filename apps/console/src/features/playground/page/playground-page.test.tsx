import { type playground, playgroundPaths } from '@switchyard/contract/playground/playground';
import type { RouteResponse } from '@switchyard/contract/route';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { complete, event, keptAs, stream } from '../playground.samples.ts';
import { PlaygroundPage } from './playground-page.tsx';

const page = <PlaygroundPage />;
type Cost = RouteResponse<typeof playground.record>;
const cost: Cost = { quota: 950, prompt_tokens: 12, completion_tokens: 34, request_time: 900, first_byte_time: 90 };

beforeEach(() => {
  sessionStorage.clear();
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/user/models', () => succeed(['big-one', 'gpt-5-mini']));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/available_model', () => succeed({}));
  script('post', '/api/playground/conversations', () => succeed(keptAs(1)));
  script('put', '/api/playground/conversations/1', () => succeed(keptAs(2)));
});

const ask = async (user: ReturnType<typeof show>['user'], text: string) => {
  const box = await screen.findByRole('textbox', { name: 'Question' });
  await waitFor(() => expect(screen.getByRole('combobox', { name: /^Model/ })).toHaveProperty('value', 'gpt-5-mini'));
  await user.type(box, `${text}{Enter}`);
};

it('streams a response and shows its time and cost once it is settled', async () => {
  const settled: Cost[] = [null, cost];
  const asked = script('post', playgroundPaths.text, () =>
    stream([event({ reasoning_content: 'Hm.' }), ...complete('It is **four**.')]),
  );
  script('get', '/api/playground/cost/request1', () => succeed(settled.shift() ?? cost));
  const { user } = show(page);
  await ask(user, 'two and two?');
  expect((await screen.findByText('four')).tagName).toBe('STRONG');
  expect(screen.getByText('Reasoning').closest('details')?.open).toBe(false);
  expect(await screen.findByText('12 → 34 tokens')).toBeTruthy();
  expect(screen.getByText('$0.0019')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Log' }).getAttribute('href')).toBe('/panel/log?request_id=request1');
  expect(asked[0]?.body).toEqual({
    model: 'gpt-5-mini',
    stream: true,
    messages: [{ role: 'user', content: 'two and two?' }],
  });
});

it('stops on Escape and keeps the received part', async () => {
  script('post', playgroundPaths.text, () => stream([event({ content: 'Half an' })], { open: true }));
  script('get', '/api/playground/cost/request1', () => succeed(null));
  const { user } = show(page);
  await ask(user, 'tell me');
  await screen.findByText('Half an');
  await user.keyboard('{Escape}');
  expect(await screen.findByText('Stopped')).toBeTruthy();
  expect(screen.getByText('Half an')).toBeTruthy();
});

it('does not send on the Enter that ends an input method’s composition', async () => {
  const asked = script('post', playgroundPaths.text, () => stream(complete('四')));
  script('get', '/api/playground/cost/request1', () => succeed(null));
  const { user } = show(page);
  await ask(user, '{Shift>}{Enter}{/Shift}二加二');
  await waitFor(() => expect(asked).toHaveLength(1));
  const box = screen.getByRole('textbox', { name: 'Question' });
  await user.type(box, '三');
  fireEvent.keyDown(box, { key: 'Enter', keyCode: 13, isComposing: true });
  fireEvent.keyDown(box, { key: 'Enter', keyCode: 229 });
  expect(box).toHaveProperty('value', '三');
  expect(asked).toHaveLength(1);
});

it('explains a failure with the request id and retries', async () => {
  let calls = 0;
  script('post', playgroundPaths.text, () => {
    calls += 1;
    const error = { message: 'balance (request id: request1)', code: 'insufficient_quota' };
    return calls === 1
      ? HttpResponse.json({ error }, { status: 402, headers: { 'x-request-id': 'request1' } })
      : stream(complete('Here it is'), { requestId: 'request2' });
  });
  script('get', '/api/playground/cost/:id', () => succeed(null));
  const { user } = show(page);
  await ask(user, 'hello');
  const alert = await screen.findByRole('alert');
  expect(within(alert).getByText(/Your balance is too low/)).toBeTruthy();
  expect(within(alert).getByText('request1')).toBeTruthy();
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Here it is')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

it('does not treat an interrupted stream as a complete response', async () => {
  script('post', playgroundPaths.text, () => stream([event({ content: 'The end is' })]));
  script('get', '/api/playground/cost/:id', () => succeed(null));
  const { user } = show(page);
  await ask(user, 'hello');
  expect(await screen.findByText(/was lost before the response was complete/)).toBeTruthy();
  expect(screen.getByText('The end is')).toBeTruthy();
});

it('asks two models the same and shows both responses', async () => {
  const asked = script('post', playgroundPaths.text, ({ body }) => {
    const { model } = body as { model: string };
    return stream(complete(`I am ${model}`), { requestId: model });
  });
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  await screen.findByRole('combobox', { name: 'Model' });
  await waitFor(() => expect(screen.getByRole('combobox')).toHaveProperty('value', 'gpt-5-mini'));
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'who?{Enter}');
  expect(await screen.findByText('I am gpt-5-mini')).toBeTruthy();
  expect(await screen.findByText('I am big-one')).toBeTruthy();
  expect(asked).toHaveLength(2);
});

it('edits an earlier question and removes what followed', async () => {
  const asked = script('post', playgroundPaths.text, () => stream(complete('Yes')));
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  await ask(user, 'first');
  await screen.findByText('Yes');
  await user.click(screen.getByRole('button', { name: 'Edit the question' }));
  const [editor] = screen.getAllByRole('textbox', { name: 'Question' });
  if (editor === undefined) throw new Error('no editor');
  await user.clear(editor);
  await user.type(editor, 'second');
  await user.click(screen.getByRole('button', { name: 'Resend' }));
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]?.body).toMatchObject({ messages: [{ role: 'user', content: 'second' }] });
});

it('starts a new conversation and restores the old one', async () => {
  script('post', playgroundPaths.text, () => stream(complete('Remember me')));
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  await ask(user, 'hello');
  await screen.findByText('Remember me');
  await user.click(screen.getByRole('button', { name: 'New conversation' }));
  expect(screen.queryByText('Remember me')).toBeNull();
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Remember me')).toBeTruthy();
});

it('sends a pasted image with the question', async () => {
  const asked = script('post', playgroundPaths.text, () => stream(complete('A cat')));
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  const box = await screen.findByRole('textbox', { name: 'Question' });
  const picture = new File([new Uint8Array([1, 2, 3])], 'cat.png', { type: 'image/png' });
  fireEvent.paste(box, { clipboardData: { files: [picture] } });
  await screen.findByRole('img', { name: 'Image 1' });
  await ask(user, 'what is it?');
  await screen.findByText('A cat');
  expect(asked[0]?.body).toMatchObject({
    messages: [
      {
        content: [
          { type: 'text', text: 'what is it?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
        ],
      },
    ],
  });
});

/** Adds a column with another model. */
async function compare(user: ReturnType<typeof show>['user']): Promise<void> {
  await waitFor(() => expect(screen.getByRole('combobox')).toHaveProperty('value', 'gpt-5-mini'));
  await user.click(screen.getByRole('button', { name: 'Compare' }));
}
const modelOf = (body: unknown) => (body as { model: string }).model;

it('stops one column while the other continues', async () => {
  script('post', playgroundPaths.text, ({ body }) =>
    stream([event({ content: `From ${modelOf(body)}` })], { open: true, requestId: modelOf(body) }),
  );
  script('get', '/api/playground/cost/:id', () => succeed(null));
  const { user } = show(page);
  await screen.findByRole('combobox', { name: 'Model' });
  await compare(user);
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'who?{Enter}');
  await screen.findByText('From big-one');
  await user.click(screen.getByRole('button', { name: 'Stop big-one' }));
  const stopped = screen.getByRole('article', { name: 'big-one' });
  expect(await within(stopped).findByText('Stopped')).toBeTruthy();
  expect(screen.getByRole('article', { name: 'gpt-5-mini' }).getAttribute('aria-busy')).toBe('true');
});

it('shows one model’s exhausted quota in its column and retries only that column', async () => {
  let refused = true;
  const asked = script('post', playgroundPaths.text, ({ body }) => {
    const error = { message: 'no', code: 'insufficient_quota' };
    if (modelOf(body) === 'big-one' && refused) return HttpResponse.json({ error }, { status: 402 });
    return stream(complete(`I am ${modelOf(body)}`), { requestId: modelOf(body) });
  });
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  await screen.findByRole('combobox', { name: 'Model' });
  await compare(user);
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'who?{Enter}');
  const alert = await screen.findByRole('alert');
  expect(screen.getByRole('article', { name: 'big-one' }).contains(alert)).toBe(true);
  await screen.findByText('I am gpt-5-mini');
  refused = false;
  await user.click(within(alert).getByRole('button', { name: 'Try again' }));
  await screen.findByText('I am big-one');
  expect(asked.map(({ body }) => modelOf(body))).toEqual(['gpt-5-mini', 'big-one', 'big-one']);
});

it('continues all columns from one response and shows the cheapest and the fastest', async () => {
  const asked = script('post', playgroundPaths.text, ({ body }) =>
    stream(complete(`I am ${modelOf(body)}`), { requestId: modelOf(body) }),
  );
  script('get', '/api/playground/cost/:id', ({ url }) =>
    succeed(url.pathname.endsWith('big-one') ? { ...cost, quota: 95_000 } : cost),
  );
  const { user } = show(page);
  await screen.findByRole('combobox', { name: 'Model' });
  await compare(user);
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'who?{Enter}');
  const note = await screen.findByRole('note', { name: 'Comparison' });
  expect(note.textContent).toMatch(/Cheapest: gpt-5-mini \$0\.0019/);
  const big = screen.getByRole('article', { name: 'big-one' });
  const choose = within(big).getByRole('button', { name: 'Continue from this response in all columns' });
  await user.click(choose);
  expect(choose.getAttribute('aria-pressed')).toBe('true');
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'and?{Enter}');
  await waitFor(() => expect(asked).toHaveLength(4));
  for (const { body } of asked.slice(2))
    expect(body).toMatchObject({ messages: [{}, { role: 'assistant', content: 'I am big-one' }, {}] });
});

it('responds for an unavailable tool and shows the model’s next response', async () => {
  const call = { index: 0, id: 'c1', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } };
  const asked = script('post', playgroundPaths.text, ({ body }) =>
    (body as { messages: object[] }).messages.length === 1
      ? stream([event({ tool_calls: [call] }), event({}, 'tool_calls'), 'data: [DONE]\n\n'])
      : stream(complete('I cannot know.'), { requestId: 'request2' }),
  );
  script('get', '/api/playground/cost/:id', () => succeed(cost));
  const { user } = show(page);
  await ask(user, 'weather?');
  await screen.findByText(/"city": "Bern"/);
  const give = screen.getByRole('button', { name: 'Submit result' });
  expect(give).toHaveProperty('disabled', true);
  await user.click(screen.getByRole('button', { name: 'Not available' }));
  await user.click(give);
  await screen.findByText('I cannot know.');
  expect(asked[1]?.body).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: expect.stringContaining('not available') },
    ],
  });
});

it('requests an image from an image model and shows none that could contain a script', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUg==';
  script('get', '/api/available_model', () =>
    succeed({ 'gpt-5-mini': { groups: ['default'], owned_by: 'x', price: null, output: ['image'] } }),
  );
  const asked = script('post', playgroundPaths.pictures, () =>
    HttpResponse.json({ data: [{ b64_json: png }, { b64_json: 'PHN2Zz4=' }, { url: 'https://v.example/a' }] }),
  );
  const { user } = show(page);
  await screen.findByPlaceholderText('Describe an image…');
  await ask(user, 'a cat');
  const picture = await screen.findByRole('img', { name: 'Image 1' });
  expect(picture.getAttribute('src')).toBe(`data:image/png;base64,${png}`);
  expect(screen.getAllByRole('img', { name: /Image/ })).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'Open image 2 at v.example' })).toBeTruthy();
  expect(asked[0]?.body).toEqual({ model: 'gpt-5-mini', prompt: 'a cat' });
});

it('puts the prompt of the URL into the composer without sending it', async () => {
  const asked = script('post', playgroundPaths.text, () => stream(complete('Yes')));
  show(page, '/?model=big-one&prompt=Delete+everything');
  expect(await screen.findByRole('textbox', { name: 'Question' })).toHaveProperty('value', 'Delete everything');
  expect(screen.getByRole('combobox')).toHaveProperty('value', 'big-one');
  expect(asked).toHaveLength(0);
});

it('accepts only a recording for a transcription model', async () => {
  script('get', '/api/user/models', () => succeed(['whisper-1']));
  show(page);
  expect(await screen.findByRole('button', { name: 'Transcript', pressed: true })).toBeTruthy();
  const send = screen.getByRole('button', { name: 'Send' });
  const input = screen.getByLabelText('Choose an audio file', { selector: 'input' });
  fireEvent.change(input, { target: { files: [new File(['x'], 'a.txt', { type: 'text/plain' })] } });
  expect(await screen.findByText(/Only audio, MP4 and WebM/)).toBeTruthy();
  expect(send).toHaveProperty('disabled', true);
  fireEvent.change(input, { target: { files: [new File(['x'], 'call.ogg', { type: 'audio/ogg' })] } });
  expect(await screen.findByText('call.ogg')).toBeTruthy();
  expect(send).toHaveProperty('disabled', false);
});
