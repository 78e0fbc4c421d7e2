import { conversationContent } from '@switchyard/contract/playground/conversation';
import { CONVERSATION_BYTES_MAX, playgroundPaths } from '@switchyard/contract/playground/playground';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../testing/wire-samples.ts';
import { initialSettings } from '../composer/build-requests.ts';
import { PlaygroundPage } from '../page/playground-page.tsx';
import { complete, event, keptAs, stream } from '../playground.samples.ts';
import { newAnswer, newTurn } from './conversation.ts';

const page = <PlaygroundPage />;
const conversations = '/api/playground/conversations';

beforeEach(() => {
  sessionStorage.clear();
  script('get', '/api/user/self', () => succeed(wireSelf));
  script('get', '/api/user/models', () => succeed(['big-one', 'gpt-5-mini']));
  script('get', '/api/available_model', () => succeed({}));
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/playground/cost/:id', () => succeed(null));
  script('post', playgroundPaths.text, () => stream(complete('Yes')));
});

type User = ReturnType<typeof show>['user'];
async function ask(user: User, text: string, answers: number): Promise<void> {
  const box = await screen.findByRole('textbox', { name: 'Question' });
  await waitFor(() => expect(screen.getByRole('combobox', { name: /^Model/ })).not.toHaveProperty('value', ''));
  await user.type(box, `${text}{Enter}`);
  await waitFor(() => expect(screen.getAllByText('Yes')).toHaveLength(answers));
}

const stored = (text: string, model = 'gpt-5-mini') => ({
  settings: { ...initialSettings, models: [model], system: 'Be brief' },
  turns: [
    newTurn({ for: 'text', text, images: [], files: [] }, [
      { ...newAnswer(model), text: 'Stored answer', state: 'done' },
    ]),
  ],
});

it('saves the conversation once after each response and puts its id into the URL', async () => {
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 7 })));
  const saved = script('put', `${conversations}/7`, () => succeed(keptAs(2, { id: 7 })));
  const { user, search } = show(page);
  await screen.findByRole('textbox', { name: 'Question' });
  expect(made).toHaveLength(0);
  await ask(user, 'Is it?', 1);
  await screen.findByText('Saved');
  expect(made).toHaveLength(1);
  expect(made[0]?.body).toMatchObject({ title: 'Is it?', content: { turns: [{ text: 'Is it?' }] } });
  await waitFor(() => expect(search()).toEqual({ conversation: '7' }));
  await ask(user, 'Really?', 2);
  await waitFor(() => expect(saved).toHaveLength(1));
  expect(saved[0]?.body).toMatchObject({ version: 1, content: { turns: [{}, { text: 'Really?' }] } });
  expect(made).toHaveLength(1);
});

it('does not save a conversation without a response', async () => {
  const error = { message: 'x', code: 'insufficient_quota' };
  script('post', playgroundPaths.text, () => HttpResponse.json({ error }, { status: 402 }));
  const made = script('post', conversations, () => succeed(keptAs(1)));
  const { user } = show(page);
  await user.type(await screen.findByRole('textbox', { name: 'Question' }), 'hello');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', false));
  await user.keyboard('{Enter}');
  await screen.findByText(/Your balance is too low/);
  expect(made).toHaveLength(0);
});

it('opens the conversation of the URL with its settings without saving it again', async () => {
  const content = stored('Old question', 'retired-model');
  script('get', `${conversations}/9`, () => succeed({ ...keptAs(4, { id: 9, title: 'Old' }), content }));
  const saved = script('put', `${conversations}/9`, () => succeed(keptAs(5, { id: 9 })));
  show(page, '/?conversation=9');
  await screen.findByText('Stored answer');
  expect(screen.getByText('Old')).toBeTruthy();
  expect(screen.getByRole('combobox', { name: 'Model' })).toHaveProperty('value', 'retired-model');
  await screen.findByText('Saved');
  expect(saved).toHaveLength(0);
});

it('offers nothing to do with turns that the loading conversation replaces', async () => {
  const loaded = Promise.withResolvers<void>();
  script('get', `${conversations}/9`, () => succeed({ ...keptAs(4, { id: 9 }), content: stored('Old question') }));
  script('get', `${conversations}/3`, async () => {
    await loaded.promise;
    return succeed({ ...keptAs(1, { id: 3 }), content: stored('Other question') });
  });
  const { history } = show(page, '/?conversation=9');
  const old = await screen.findByText('Old question');
  expect(old.closest('[inert]')).toBeNull();
  history.push('/?conversation=3');
  await waitFor(() => expect(old.closest('[inert]')).not.toBeNull());
  loaded.resolve();
  expect((await screen.findByText('Other question')).closest('[inert]')).toBeNull();
});

it('reports a conversation that does not exist', async () => {
  script('get', `${conversations}/9`, () => refuse('not-found', 404));
  const { search } = show(page, '/?conversation=9');
  await screen.findByText(/This conversation does not exist/);
  await waitFor(() => expect(search()).toEqual({}));
});

it('saves a conversation that another tab changed as a second one and reports that', async () => {
  const content = stored('Shared');
  script('get', `${conversations}/9`, () => succeed({ ...keptAs(1, { id: 9, title: 'Shared' }), content }));
  script('put', `${conversations}/9`, () => refuse('conflict', 409));
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 10, title: 'Shared (2)' })));
  const { user, search } = show(page, '/?conversation=9');
  await screen.findByText('Stored answer');
  await ask(user, 'And now?', 1);
  await screen.findByText(/Another tab changed this conversation/);
  expect(made[0]?.body).toMatchObject({
    title: 'Shared (2)',
    content: { turns: [{ text: 'Shared' }, { text: 'And now?' }] },
  });
  await waitFor(() => expect(search()).toEqual({ conversation: '10' }));
});

it.each([
  ['too-large', 413, /can have at most 2 MB/],
  ['conflict', 409, /limit of saved conversations/],
  ['switched-off', 403, /does not save conversations/],
  ['internal', 500, /the server is unreachable/],
] as const)('continues unsaved after the error %s and reports it', async (code, status, sentence) => {
  script('post', conversations, () => refuse(code, status));
  const { user } = show(page);
  await ask(user, 'Is it?', 1);
  expect(await screen.findByText(sentence)).toBeTruthy();
  await ask(user, 'And?', 2);
});

it('does not send a conversation that is too large', async () => {
  const made = script('post', conversations, () => succeed(keptAs(1)));
  script('post', playgroundPaths.text, () =>
    stream([
      event({ content: 'Yes' }),
      event({ reasoning_content: 'x'.repeat(CONVERSATION_BYTES_MAX) }),
      ...complete(''),
    ]),
  );
  const { user } = show(page);
  await ask(user, 'Is it?', 1);
  await screen.findByText(/can have at most 2 MB/);
  expect(made).toHaveLength(0);
});

it('deletes the conversation on the server when saving is turned off, and saves it again when turned on', async () => {
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 7 })));
  const removed = script('delete', `${conversations}/7`, () => succeed(null));
  const { user } = show(page);
  await ask(user, 'Is it?', 1);
  await screen.findByText('Saved');
  const flip = async () => {
    await user.click(screen.getByRole('button', { name: 'More' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Save this conversation' }));
    await user.keyboard('{Escape}');
  };
  await flip();
  await screen.findByText('Not saved');
  expect(removed).toHaveLength(1);
  await ask(user, 'More?', 2);
  expect(made).toHaveLength(1);
  await flip();
  await screen.findByText('Saved');
  expect(made).toHaveLength(2);
});

it('branches into a separate conversation', async () => {
  const content = stored('First');
  const both = { ...content, turns: [...content.turns, ...stored('Second').turns] };
  script('get', `${conversations}/9`, () => succeed({ ...keptAs(1, { id: 9, title: 'Long' }), content: both }));
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 10, title: 'Long (2)' })));
  const { user } = show(page, '/?conversation=9');
  await screen.findByText('Second');
  await user.click(screen.getAllByRole('button', { name: 'Branch from this turn' })[0] ?? document.body);
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ title: 'Long (2)', content: { turns: [{ text: 'First' }] } });
  expect(screen.queryByText('Second')).toBeNull();
});

it('disappears from the screen when it is deleted in the list', async () => {
  script('get', conversations, () => succeed({ data: [keptAs(1, { id: 3 })], page: 1, size: 50, total_count: 1 }));
  script('get', `${conversations}/3`, () => succeed({ ...keptAs(1, { id: 3 }), content: stored('Unwanted') }));
  const removed = script('delete', `${conversations}/3`, () => succeed(null));
  const { user, search } = show(page, '/?conversation=3');
  await screen.findByText('Unwanted');
  await user.click(screen.getByRole('button', { name: 'Conversations' }));
  const drawer = await screen.findByRole('dialog', { name: 'Conversations' });
  await user.click(await within(drawer).findByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByText('Unwanted')).toBeNull());
  expect(removed).toHaveLength(1);
  expect(search()).toEqual({});
});

it('lists, searches and copies conversations, and deletes all after their number is typed', async () => {
  const listed = script('get', conversations, () =>
    succeed({ data: [keptAs(1, { id: 3, title: '<b>Bold</b>' }), keptAs(1)], page: 1, size: 50, total_count: 2 }),
  );
  const content = stored('Copied');
  script('get', `${conversations}/3`, () => succeed({ ...keptAs(1, { id: 3, title: '<b>Bold</b>' }), content }));
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 4 })));
  const removed = script('delete', conversations, () => succeed(2));
  const { user } = show(page);
  await user.click(await screen.findByRole('button', { name: 'Conversations' }));
  const drawer = await screen.findByRole('dialog', { name: 'Conversations' });
  // A title must not be rendered as HTML.
  await within(drawer).findByRole('button', { name: '<b>Bold</b>' });
  await user.type(within(drawer).getByRole('textbox', { name: 'Search titles' }), 'bo');
  await waitFor(() => expect(listed.at(-1)?.url.searchParams.get('keyword')).toBe('bo'));
  await user.clear(within(drawer).getByRole('textbox', { name: 'Search titles' }));
  await user.click(await within(drawer).findByRole('button', { name: 'Delete all' }));
  const question = await screen.findByRole('alertdialog');
  expect(within(question).getByRole('button', { name: 'Delete' })).toHaveProperty('disabled', true);
  await user.type(within(question).getByRole('textbox'), '2');
  await user.click(within(question).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(removed).toHaveLength(1));
  const [more] = await within(drawer).findAllByRole('button', { name: 'More' });
  await user.click(more ?? document.body);
  await user.click(await screen.findByRole('menuitem', { name: 'Duplicate' }));
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ title: '<b>Bold</b> (2)', content: { turns: [{ text: 'Copied' }] } });
});

it('imports a conversation from a file and rejects an invalid file', async () => {
  const made = script('post', conversations, () => succeed(keptAs(1, { id: 4 })));
  show(page);
  await screen.findByRole('textbox', { name: 'Question' });
  const input = screen.getByLabelText('Import JSON…');
  fireEvent.change(input, { target: { files: [new File(['{"turns":1}'], 'x.json')] } });
  await screen.findByText(/is not a conversation/);
  const content = conversationContent.parse(stored('From a file'));
  const file = new File([JSON.stringify(content)], 'trip.json', { type: 'application/json' });
  fireEvent.change(input, { target: { files: [file] } });
  await screen.findByText('From a file');
  await waitFor(() => expect(made).toHaveLength(1));
  expect(made[0]?.body).toMatchObject({ title: 'trip' });
});

it('does not confuse a conversation that is still being saved with the next one', async () => {
  let finish = () => {};
  const late = new ReadableStream<Uint8Array>({
    start(controller) {
      finish = () => {
        controller.enqueue(new TextEncoder().encode(JSON.stringify({ success: true, data: keptAs(1, { id: 7 }) })));
        controller.close();
      };
    },
  });
  const made = script('post', conversations, ({ body }) =>
    (body as { title: string }).title === 'First' ? new HttpResponse(late) : succeed(keptAs(1, { id: 8 })),
  );
  const saved = script('put', `${conversations}/:id`, () => succeed(keptAs(2)));
  const { user, search } = show(page);
  await ask(user, 'First', 1);
  await screen.findByText('Saving…');
  await user.click(screen.getByRole('button', { name: 'New conversation' }));
  finish();
  await ask(user, 'Second', 1);
  await screen.findByText('Saved');
  expect(made.map(({ body }) => (body as { title: string }).title)).toEqual(['First', 'Second']);
  expect(saved).toHaveLength(0);
  expect(search()).toEqual({ conversation: '8' });
});

it('keeps other conversations when saving is turned off before the first save', async () => {
  script('post', conversations, () => succeed(keptAs(1, { id: 7 })));
  const removed = script('delete', `${conversations}/:id`, () => succeed(null));
  const { user } = show(page);
  await ask(user, 'First', 1);
  await screen.findByText('Saved');
  await user.click(screen.getByRole('button', { name: 'New conversation' }));
  await user.click(screen.getByRole('button', { name: 'More' }));
  await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Save this conversation' }));
  await screen.findByText('Not saved');
  expect(removed).toHaveLength(0);
});
