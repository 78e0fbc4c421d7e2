import Box from '@mui/material/Box';
import Skeleton from '@mui/material/Skeleton';
import type { ModelMetadata } from '@switchyard/contract/catalog/models';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { CopyButton } from '../../../ui/actions/copy-button.tsx';
import { type DescriptionEntry, DescriptionList } from '../../../ui/display/description-list.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { LinkButton } from '../../../ui/display/link.tsx';
import { useModelMetadataText } from '../../../ui/display/model-metadata-text.ts';
import { TagChips } from '../../../ui/display/status-and-tag-chips.tsx';
import { EmptyState } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { useFormat } from '../../../ui/format/use-format.ts';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';
import { DetailDrawer } from '../../../ui/overlays/detail-drawer.tsx';
import { clientSnippets, SnippetTabs } from '../../../ui/product/client-snippets.tsx';
import { useCurrentUser } from '../../accounts/session/queries.ts';
import { useServerAddress } from '../../site/site/queries.ts';
import { DefaultPriceChip, PriceCell, usePriceUnit } from './model-price-cell-and-unit.tsx';
import { basisOf, type Counter, type Groups, type ModelRow } from './model-rows-and-list-price.ts';

interface ModelDrawerProps {
  name: string | undefined;
  /** Undefined while the models load. */
  rows: readonly ModelRow[] | undefined;
  groups: Groups;
  onClose: () => void;
}

/** Shows a model's metadata, its prices by group and snippets for a first call. */
export function ModelDrawer({ name, rows, groups, onClose }: ModelDrawerProps) {
  const { t } = useTranslation('models');
  const row = rows?.find((known) => known.name === name);
  return (
    <DetailDrawer
      open={name !== undefined}
      onClose={onClose}
      title={name === undefined ? '' : <Name>{name}</Name>}
      actions={name !== undefined && <CopyButton text={name} what={t('modelId')} />}
    >
      {row === undefined ? (
        <>{rows === undefined ? <Skeleton variant="rounded" height={240} /> : <EmptyState>{t('gone')}</EmptyState>}</>
      ) : (
        <Details row={row} groups={groups} />
      )}
    </DetailDrawer>
  );
}

function Details({ row, groups }: { row: ModelRow; groups: Groups }) {
  const { t } = useTranslation('models');
  const signedIn = useCurrentUser() !== null;
  const address = useServerAddress();
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 2.5 }}>
      {signedIn && (
        <LinkButton
          to={paths.playground}
          search={{ model: row.name }}
          variant="contained"
          sx={{ justifySelf: 'start' }}
        >
          {t('try')}
        </LinkButton>
      )}
      <Description facts={row.facts} />
      <DescriptionList
        facts={[[t('owner'), row.owner === '' ? t('unknownOwner') : row.owner], ...useKnownFacts(row.facts)]}
      />
      <PricesByGroup row={row} groups={groups} />
      <SnippetTabs label={t('code')} snippets={clientSnippets(address, 'YOUR_API_KEY', row.name)} />
    </Box>
  );
}

function Description({ facts: { name, description, tags } }: Pick<ModelRow, 'facts'>) {
  if ((name ?? description ?? tags) === undefined) return null;
  return (
    <Box sx={{ display: 'grid', gap: 1, fontSize: '0.875rem' }}>
      {name !== undefined && (
        <Box sx={{ fontWeight: 500, overflowWrap: 'anywhere' }}>
          <Name>{name}</Name>
        </Box>
      )}
      {description !== undefined && <PlainText>{description}</PlainText>}
      {tags !== undefined && <TagChips tags={tags} wrap />}
    </Box>
  );
}

const counters = ['input', 'cachedRead', 'output'] as const;
const captions = {
  token: 'tokenCaption',
  call: 'callCaption',
  second: 'unitCaption',
  character: 'unitCaption',
  image: 'unitCaption',
} as const;

/** Shows a row for each group that may call the model. */
function PricesByGroup({ row, groups }: { row: ModelRow; groups: Groups }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const { unit } = usePriceUnit();
  if (row.price === null) return <DefaultPriceChip />;
  const { price } = row;
  const basis = basisOf(price);
  const shown: readonly Counter[] = basis === 'token' ? counters : ['input'];
  const stages = [
    { above: 0, price },
    ...price.tiers.map(({ above, rates }) => ({ above, price: { ...price, rates: { ...price.rates, ...rates } } })),
  ];
  return (
    <Box component="table" sx={table}>
      <caption>{t(captions[basis], { unit: t(`unitOf.${unit}`) })}</caption>
      <thead>
        <tr>
          <th scope="col">{t('group')}</th>
          {shown.map((counter) => (
            <th scope="col" key={counter} data-align="end">
              {t(`price.${counter}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {row.groups.map((symbol) =>
          stages.map((stage) => (
            <tr key={`${symbol} ${stage.above}`}>
              <th scope="row">
                <Name>{groups[symbol]?.name ?? symbol}</Name> ×{groups[symbol]?.ratio ?? 1}
                {stage.above > 0 && `, ${t('overTokens', { tokens: format.number(stage.above) })}`}
              </th>
              {shown.map((counter) => (
                <td key={counter} data-align="end">
                  <PriceCell row={{ ...row, price: stage.price, ratio: groups[symbol]?.ratio }} counter={counter} />
                </td>
              ))}
            </tr>
          )),
        )}
      </tbody>
    </Box>
  );
}

const table = {
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: '0.8125rem',
  '& caption': { textAlign: 'start', color: 'text.secondary', fontSize: '0.75rem', pb: 0.5 },
  '& th, & td': { textAlign: 'start', py: 0.75, borderBottom: 1, borderColor: 'divider', fontWeight: 400 },
  '& thead th': { color: 'text.secondary' },
  '& [data-align="end"]': { textAlign: 'end' },
} as const;

/** Returns a model's metadata as labelled texts. */
function useKnownFacts(facts: ModelMetadata): DescriptionEntry[] {
  const { t } = useTranslation('models');
  const format = useFormat();
  const words = useModelMetadataText();
  const found: DescriptionEntry[] = [];
  if (facts.context_length !== undefined) found.push([t('known.context'), words.tokens(facts.context_length)]);
  if (facts.output_max !== undefined) found.push([t('known.output_max'), words.tokens(facts.output_max)]);
  if (facts.input !== undefined) found.push([t('known.input'), words.kinds(facts.input)]);
  if (facts.output !== undefined) found.push([t('known.output'), words.kinds(facts.output)]);
  if (facts.capabilities !== undefined && facts.capabilities.length > 0)
    found.push([t('known.capabilities'), words.capabilities(facts.capabilities)]);
  if (facts.released !== undefined) found.push([t('known.released'), format.date(facts.released)]);
  if (facts.retires !== undefined) found.push([t('known.retires'), format.date(facts.retires)]);
  else if (facts.deprecated === true) found.push([t('deprecated'), t('deprecatedByVendor')]);
  if (facts.successor !== undefined) found.push([t('known.successor'), facts.successor]);
  return found;
}
