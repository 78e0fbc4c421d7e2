import Button from '@mui/material/Button';
import { POINTS_PER_USD, pointsAmount } from '@switchyard/contract/money';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { script, succeed } from '../../testing/mock-api-server.ts';
import { show } from '../../testing/render.tsx';
import { wireSite } from '../../testing/wire-samples.ts';
import { MultiSelectInput } from '../inputs/multi-select-input.tsx';
import { PointsInput } from '../inputs/number-input.tsx';
import { SecretInput } from '../inputs/secret-input.tsx';
import { TextInput } from '../inputs/text-input.tsx';
import { PageForm } from './page-form.tsx';
import { useContractForm } from './use-contract-form.ts';

const schema = z.object({
  name: z.string().trim().min(1),
  quota: pointsAmount,
  key: z.string(),
  models: z.array(z.string()),
});

function Editor({ onSave }: { onSave: (values: unknown) => void }) {
  const form = useContractForm({
    schema,
    values: { name: 'one', quota: pointsAmount.parse(POINTS_PER_USD), key: '', models: [] },
    onSubmit: async (values) => onSave(values),
  });
  const { control } = form.form;
  return (
    <PageForm form={form}>
      <TextInput control={control} name="name" label="Name" />
      <PointsInput control={control} name="quota" label="Quota" />
      <SecretInput control={control} name="key" label="Key" stored="…x9f2" />
      <MultiSelectInput control={control} name="models" label="Models" options={[]} free />
      <Button type="submit">Send</Button>
    </PageForm>
  );
}

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it('accepts USD and stores whole points', async () => {
  const onSave = vi.fn();
  const { user } = show(<Editor onSave={onSave} />);
  const quota = await screen.findByLabelText<HTMLInputElement>('Quota');
  expect(quota.value).toBe('1');
  await user.clear(quota);
  await user.type(quota, '0.1');
  expect(screen.getByText('50,000 points')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(onSave).toHaveBeenCalledWith(expect.objectContaining({ quota: 50_000 })));
});

it('rejects text that is not a number and keeps it in the field', async () => {
  const onSave = vi.fn();
  const { user } = show(<Editor onSave={onSave} />);
  const quota = await screen.findByLabelText<HTMLInputElement>('Quota');
  await user.clear(quota);
  await user.type(quota, 'much');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('Enter a number')).toBeTruthy();
  expect(quota.value).toBe('much');
  expect(onSave).not.toHaveBeenCalled();
});

it('never shows a stored secret and keeps it when the field stays empty', async () => {
  const onSave = vi.fn();
  const { user } = show(<Editor onSave={onSave} />);
  const key = await screen.findByLabelText<HTMLInputElement>('Key');
  expect(key.value).toBe('');
  expect(key.type).toBe('password');
  expect(key.placeholder).toContain('…x9f2');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() => expect(onSave).toHaveBeenCalledWith(expect.objectContaining({ key: '' })));
});

it('splits a pasted list and drops duplicates', async () => {
  const onSave = vi.fn();
  const { user } = show(<Editor onSave={onSave} />);
  await user.type(await screen.findByLabelText('Models'), 'gpt-5, gpt-5-mini gpt-5{Enter}');
  await user.click(screen.getByRole('button', { name: 'Send' }));
  await waitFor(() =>
    expect(onSave).toHaveBeenCalledWith(expect.objectContaining({ models: ['gpt-5', 'gpt-5-mini'] })),
  );
});

it('shows the save bar only while there are changes', async () => {
  const { user } = show(<Editor onSave={() => {}} />);
  const name = await screen.findByLabelText<HTMLInputElement>('Name');
  expect(screen.queryByText('Unsaved changes')).toBeNull();
  await user.type(name, '!');
  expect(await screen.findByText('Unsaved changes')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  await waitFor(() => expect(screen.queryByText('Unsaved changes')).toBeNull());
  expect(name.value).toBe('one');
});
