import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { show } from '../../testing/render.tsx';
import { Form } from '../form/form.tsx';
import { useContractForm } from '../form/use-contract-form.ts';
import { TextInput } from '../inputs/text-input.tsx';
import { DetailDrawer } from './detail-drawer.tsx';

const schema = z.object({ name: z.string() });

function NameForm() {
  const form = useContractForm({ schema, values: { name: '' }, onSubmit: () => Promise.resolve() });
  return (
    <Form form={form}>
      <TextInput control={form.form.control} name="name" label="Name" />
    </Form>
  );
}

function showDrawer() {
  const onClose = vi.fn<() => void>();
  const { user } = show(
    <DetailDrawer open onClose={onClose} title="A record">
      <NameForm />
    </DetailDrawer>,
  );
  return { user, onClose };
}

it('closes at once without changes', async () => {
  const { user, onClose } = showDrawer();
  await user.click(await screen.findByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledOnce();
});

it('asks before Escape discards entered text', async () => {
  const { user, onClose } = showDrawer();
  await user.type(await screen.findByLabelText('Name'), 'half a na');
  await user.keyboard('{Escape}');
  const stay = await screen.findByRole('button', { name: 'Cancel' });
  expect(onClose).not.toHaveBeenCalled();
  await user.click(stay);
  await user.click(await screen.findByRole('button', { name: 'Close' }));
  await user.click(await screen.findByRole('button', { name: 'Leave' }));
  expect(onClose).toHaveBeenCalledOnce();
});
