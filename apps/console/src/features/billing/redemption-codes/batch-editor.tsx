import Box from '@mui/material/Box';
import { type CodeBatch, createBatch, updateBatch } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId } from '@switchyard/contract/ids';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Money } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { Form, FormButtons } from '../../../ui/form/form.tsx';
import { FoldedSection } from '../../../ui/form/form-layout.tsx';
import { useContractForm } from '../../../ui/form/use-contract-form.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { MomentInput } from '../../../ui/inputs/date-time-input.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { TextInput } from '../../../ui/inputs/text-input.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { useGroupOptions } from '../../accounts/user-groups/queries.ts';
import { NEVER, type NewBatch, newBatch, type PrintableCodes } from './new-batch-defaults-and-redeem-url.ts';
import { batchQuery, useCreateBatch, useUpdateBatch } from './queries.ts';

interface BatchEditorProps {
  id: CodeBatchId | 'new' | undefined;
  onClose: () => void;
  /** Callback that receives the codes; showing them again needs a confirmation. */
  onMade: (handout: PrintableCodes) => void;
}

export function BatchEditor({ id, onClose, onMade }: BatchEditorProps) {
  const { t } = useTranslation('redemption-codes');
  return (
    <DetailDrawer open={id !== undefined} onClose={onClose} title={t(id === 'new' ? 'new' : 'editBatch')}>
      {id === 'new' && <NewBatchForm onClose={onClose} onMade={onMade} />}
      {id !== undefined && id !== 'new' && <EditBatch id={id} onClose={onClose} />}
    </DetailDrawer>
  );
}

function NewBatchForm({ onClose, onMade }: Pick<BatchEditorProps, 'onClose' | 'onMade'>) {
  const create = useCreateBatch();
  return (
    <BatchForm
      onCancel={onClose}
      onSave={async (body) => {
        const codes = await create.mutateAsync(body);
        onMade({ name: body.name, quota: body.quota, expires_time: body.expires_time, codes });
      }}
    />
  );
}

interface BatchFormProps {
  onSave: (values: NewBatch) => Promise<unknown>;
  onCancel: () => void;
}

function BatchForm({ onSave, onCancel }: BatchFormProps) {
  const { t } = useTranslation('redemption-codes');
  const groups = useGroupOptions();
  const contractForm = useContractForm({ schema: createBatch, values: newBatch, onSubmit: onSave });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} hint={t('nameHint')} autoFocus />
      <PointsInput control={control} name="quota" label={t('worth')} help={t('worthHelp')} />
      <NumberInput control={control} name="count" label={t('count')} />
      <MomentInput control={control} name="expires_time" label={t('expires')} never={NEVER} />
      <FoldedSection title={t('moreOptions')} changed={0}>
        <TextInput control={control} name="prefix" label={t('prefix')} hint={t('prefixHint')} mono />
        <NumberInput control={control} name="per_user" label={t('perUser')} hint={t('perUserHint')} />
        <SelectInput
          control={control}
          name="for_group"
          label={t('forGroup')}
          help={t('forGroupHelp')}
          options={[{ value: '', label: t('everybody') }, ...groups]}
        />
        <SelectInput
          control={control}
          name="grant_group"
          label={t('grantGroup')}
          help={t('grantGroupHelp')}
          options={[{ value: '', label: t('noGroup') }, ...groups]}
        />
      </FoldedSection>
      <FormButtons saving={formState.isSubmitting} onCancel={onCancel} />
    </Form>
  );
}

function EditBatch({ id, onClose }: { id: CodeBatchId; onClose: () => void }) {
  const { data: batch, error, refetch } = useQuery(batchQuery(id));
  if (batch === undefined) return <PendingPanel error={error} refetch={refetch} height={320} />;
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      <FixedTerms batch={batch} />
      <EditForm batch={batch} onClose={onClose} />
    </Box>
  );
}

/** Shows the values that cannot be changed after creation, and how many codes were redeemed. */
function FixedTerms({ batch }: { batch: CodeBatch }) {
  const { t } = useTranslation('redemption-codes');
  const format = useFormat();
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <DescriptionList
        facts={[
          [t('worth'), <Money key="worth" points={batch.quota} />],
          [t('redeemed'), t('usedOf', { used: format.number(batch.used), total: format.number(batch.count) })],
          [t('forGroup'), batch.for_group === '' ? t('everybody') : <Mono key="for">{batch.for_group}</Mono>],
          [t('grantGroup'), batch.grant_group === '' ? t('noGroup') : <Mono key="grant">{batch.grant_group}</Mono>],
        ]}
      />
      <Box>
        <LinkButton
          size="small"
          color="inherit"
          to={paths.redemptionCodes}
          search={{ tab: 'codes', batch_id: String(batch.id) }}
        >
          {t('showCodes')}
        </LinkButton>
      </Box>
    </Box>
  );
}

function EditForm({ batch, onClose }: { batch: CodeBatch; onClose: () => void }) {
  const { t } = useTranslation(['redemption-codes', 'common']);
  const update = useUpdateBatch();
  const { id, name, expires_time, per_user, enabled } = batch;
  const contractForm = useContractForm({
    schema: updateBatch,
    values: { id, name, expires_time, per_user, enabled },
    onSubmit: async (body) => {
      await update.mutateAsync(body);
      notify('success', t('common:saved'));
      onClose();
    },
  });
  const { control, formState } = contractForm.form;
  return (
    <Form form={contractForm}>
      <TextInput control={control} name="name" label={t('name')} />
      <MomentInput control={control} name="expires_time" label={t('expires')} never={NEVER} />
      <NumberInput control={control} name="per_user" label={t('perUser')} hint={t('perUserHint')} />
      <SwitchInput control={control} name="enabled" label={t('enabled')} hint={t('enabledHint')} />
      <FormButtons saving={formState.isSubmitting} onCancel={onClose} />
    </Form>
  );
}
