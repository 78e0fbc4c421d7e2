import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { CatalogueNotices, ShortPrice } from '@switchyard/contract/catalog/catalog-updates';
import { RATE_OF_USD_PER_MILLION, RATE_OF_USD_PER_UNIT } from '@switchyard/contract/catalog/price-rates';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { ConfirmButton } from '../../../ui/actions/confirm-button.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { notify } from '../../../ui/feedback/toasts.ts';
import { useNotifyError } from '../../../ui/feedback/use-error-text.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { ListRow, RowList } from '../../../ui/layout/list-row.tsx';
import { SectionCard } from '../../../ui/layout/section-card.tsx';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { catalogueNoticesQuery, useAdopt, useReplace, useWithdraw } from './queries.ts';

type Unpriced = CatalogueNotices['unpriced'][number];
type Retiring = CatalogueNotices['retiring'][number];

/** Shows models without a price, models that retire and pending changes, each with its actions. */
export function AttentionCard({ onOpen }: { onOpen: (list: number) => void }) {
  const { t } = useTranslation('catalogue');
  const { data } = useQuery(catalogueNoticesQuery);
  if (data === undefined) return null;
  const { pending, unpriced, retiring } = data;
  if (pending === null && unpriced.length === 0 && retiring.length === 0) return null;
  return (
    <SectionCard title={t('attention')} actions={<AdoptAll unpriced={unpriced} />}>
      {pending !== null && (
        <Alert
          severity="info"
          sx={{ mb: 1 }}
          action={
            <Button color="inherit" size="small" onClick={() => onOpen(pending.id)}>
              {t('look')}
            </Button>
          }
        >
          {t('pending', { count: pending.changes })}
        </Alert>
      )}
      <RowList label={t('attention')}>
        {unpriced.map((notice) => (
          <UnpricedRow key={notice.model} notice={notice} />
        ))}
        {retiring.map((notice) => (
          <RetiringRow key={notice.model} notice={notice} />
        ))}
      </RowList>
    </SectionCard>
  );
}

function AdoptAll({ unpriced }: { unpriced: readonly Unpriced[] }) {
  const { t } = useTranslation('catalogue');
  const adopt = useAdoptNow();
  const models = unpriced.filter(({ suggested }) => suggested !== null).map(({ model }) => model);
  const mayPrice = useHasAccess('prices.write');
  if (models.length < 2 || !mayPrice) return null;
  return (
    <Button size="small" variant="outlined" loading={adopt.busy} onClick={() => adopt.run(models)}>
      {t('takeAll', { count: models.length })}
    </Button>
  );
}

function UnpricedRow({ notice: { model, suggested } }: { notice: Unpriced }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const adopt = useAdoptNow();
  const mayPrice = useHasAccess('prices.write');
  const usd = (rate: number): string => format.exactUsd(rate / RATE_OF_USD_PER_MILLION);
  const shown = suggested === null ? undefined : { input: usd(suggested.input), output: usd(suggested.output) };
  return (
    <ListRow
      title={<Mono>{model}</Mono>}
      text={
        <>
          {t('noPrice')} {shown !== undefined && t('suggested', shown)}
        </>
      }
      actions={
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          {mayPrice && shown !== undefined && (
            <Button size="small" variant="contained" loading={adopt.busy} onClick={() => adopt.run([model])}>
              {t('takeSuggested', shown)}
            </Button>
          )}
          {mayPrice && (
            <LinkButton
              to={paths.prices}
              search={{ show: 'new', model }}
              size="small"
              variant="outlined"
              color="inherit"
            >
              {t('setPrice')}
            </LinkButton>
          )}
          <Withdraw model={model} as="offered" />
        </Box>
      }
    />
  );
}

function RetiringRow({ notice }: { notice: Retiring }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const { model, retires, retired, successor } = notice;
  return (
    <ListRow
      title={<Mono>{model}</Mono>}
      text={
        <>
          {t(retired ? 'retired' : 'retires', { date: format.date(retires) })}{' '}
          {successor !== null && t('successor', { successor })}
        </>
      }
      actions={
        <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          {successor !== null && <Replace notice={notice} successor={successor} />}
          <Withdraw model={model} as="upstream" />
        </Box>
      }
    />
  );
}

/** Replaces a retiring model by its successor, at whose price its calls are then billed. */
function Replace({
  notice: { model, price, successor_price: newPrice },
  successor,
}: {
  notice: Retiring;
  successor: string;
}) {
  const { t } = useTranslation('catalogue');
  const priceWords = usePriceWords();
  const replace = useReplace();
  const mayChange = useHasAccess('channels.write');
  if (!mayChange) return null;
  return (
    <ConfirmButton
      size="small"
      variant="contained"
      color="primary"
      question={{
        title: t('replaceTitle', { model, successor }),
        text: t('replaceText', { model, before: priceWords(price), after: priceWords(newPrice) }),
        verb: t('replace', { successor }),
      }}
      onConfirm={async () => {
        const { channels } = await replace.mutateAsync({ model, by: successor });
        notify('success', t('channelsChanged', { count: channels }));
      }}
    >
      {t('replace', { successor })}
    </ConfirmButton>
  );
}

function usePriceWords(): (price: ShortPrice | null) => string {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  return (price) => {
    if (price === null) return t('price.none');
    if (price.type === 'times') return t('price.call', { call: format.exactUsd(price.input / RATE_OF_USD_PER_UNIT) });
    const [input, output] = [price.input, price.output].map((rate) => format.exactUsd(rate / RATE_OF_USD_PER_MILLION));
    return t('price.tokens', { input, output });
  };
}

function Withdraw({ model, as }: { model: string; as: 'offered' | 'upstream' }) {
  const { t } = useTranslation('catalogue');
  const withdraw = useWithdraw();
  const mayChange = useHasAccess('channels.write');
  if (!mayChange) return null;
  return (
    <ConfirmButton
      size="small"
      question={{ title: t('withdrawTitle', { model }), text: t('withdrawText'), verb: t('withdraw') }}
      onConfirm={async () => {
        const { channels } = await withdraw.mutateAsync({ model, as });
        notify('success', t('channelsChanged', { count: channels }));
      }}
    >
      {t('withdraw')}
    </ConfirmButton>
  );
}

function useAdoptNow() {
  const { t } = useTranslation('catalogue');
  const notifyError = useNotifyError();
  const adopt = useAdopt();
  const run = (models: string[]) =>
    adopt.mutate(models, {
      onSuccess: ({ added }) => notify('success', t('adopted', { count: added })),
      onError: notifyError,
    });
  return { run, busy: adopt.isPending };
}
