import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { createChannel } from '@switchyard/contract/channels/channels';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../../testing/render.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { newValues } from './channel-form-values.ts';
import { MappingPreview } from './mapping-preview.tsx';

const values: CreateChannel = { ...newValues, models: ['gpt-*'], model_mapping: { 'gpt-*': '+vendor/gpt-*' } };

function Scene({ onSubmit }: { onSubmit: () => void }) {
  const { form } = useContractForm<CreateChannel>({ schema: createChannel, values, onSubmit: async () => {} });
  return (
    <form onSubmit={onSubmit}>
      <MappingPreview control={form.control} />
    </form>
  );
}

it('shows the mapped and the billed name of a model and does not submit the form', async () => {
  let submitted = 0;
  const { user } = show(<Scene onSubmit={() => (submitted += 1)} />, '/panel/channel/new');
  const field = await screen.findByRole('textbox', { name: 'Try a model name' });
  await user.type(field, 'gpt-5{Enter}');
  expect(await screen.findByText('vendor/gpt-5')).toBeTruthy();
  expect(screen.getByText('gpt-5')).toBeTruthy();
  await user.clear(field);
  await user.type(field, 'claude');
  expect(await screen.findByText(/Not in the models above/)).toBeTruthy();
  expect(submitted).toBe(0);
});
