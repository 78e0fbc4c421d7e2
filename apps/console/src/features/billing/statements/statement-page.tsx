import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { Statement } from '@switchyard/contract/billing/statements';
import { IconFileTypeCsv, IconFileTypePdf, IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DescriptionList } from '../../../ui/display/description-list.tsx';
import { Name } from '../../../ui/display/formatted-values.tsx';
import { Mono } from '../../../ui/display/monospace-text.tsx';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { PendingPanel } from '../../../ui/feedback/empty-and-pending-panels.tsx';
import { PageHeader } from '../../../ui/layout/page-header.tsx';
import { PrintStyles } from '../../../ui/layout/print-styles.tsx';
import { PlainText } from '../../../ui/markdown/plain-text.tsx';
import { csvUrl, pdfUrl, statementQuery } from './queries.ts';
import { BalanceTable, ModelTable, PaymentTable } from './statement-tables.tsx';
import { useUtcFormat } from './use-utc-format.ts';

/** Shows a month's statement in a printable form. */
export function StatementPage() {
  const { t } = useTranslation('statements');
  const { date = '' } = useParams({ strict: false });
  const { month } = useUtcFormat();
  const { data, error, refetch } = useQuery(statementQuery(date));
  return (
    <>
      <PageHeader
        title={data === undefined ? t('statement') : month(data.date)}
        actions={
          data !== undefined && (
            <>
              <Button color="inherit" startIcon={<IconPrinter size={18} />} onClick={() => window.print()}>
                {t('print')}
              </Button>
              <Button
                component="a"
                color="inherit"
                variant="outlined"
                startIcon={<IconFileTypeCsv size={18} />}
                href={csvUrl(date)}
                download
              >
                {t('csv')}
              </Button>
              <Button
                component="a"
                variant="contained"
                startIcon={<IconFileTypePdf size={18} />}
                href={pdfUrl(date)}
                download
              >
                {t('pdf')}
              </Button>
            </>
          )
        }
      />
      {data === undefined ? (
        <PendingPanel error={error} refetch={refetch} height={640} />
      ) : (
        <StatementSheet statement={data} />
      )}
    </>
  );
}

function StatementSheet({ statement }: { statement: Statement }) {
  const { t } = useTranslation('statements');
  const { month, moment } = useUtcFormat();
  const { issuer, number, date, final, generated_at, display_name, username, email, note } = statement;
  return (
    <Paper
      data-paper=""
      variant="outlined"
      sx={{ maxWidth: 860, mx: 'auto', borderRadius: 1.5, p: { xs: 2, sm: 4, md: 5 } }}
    >
      <PrintStyles />
      <Box sx={{ display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: 3, mb: 4 }}>
        <Box sx={{ minWidth: 0, maxWidth: 360, fontSize: '0.8125rem', color: 'text.secondary' }}>
          <Typography component="p" sx={{ fontWeight: 600, color: 'text.primary', overflowWrap: 'anywhere' }}>
            {issuer.name}
          </Typography>
          {issuer.address !== '' && <PlainText>{issuer.address}</PlainText>}
          {issuer.tax_id !== '' && <div>{t('taxId', { id: issuer.tax_id })}</div>}
          {issuer.contact !== '' && <PlainText>{issuer.contact}</PlainText>}
        </Box>
        <Box sx={{ minWidth: { xs: '100%', sm: 280 } }}>
          <DescriptionList
            facts={[
              [t('number'), <Mono key="number">{number}</Mono>],
              [t('month'), month(date)],
              [t('made'), moment(generated_at)],
              [t('account'), <Name key="account">{display_name || username}</Name>],
              ...(email === '' ? [] : [[t('email'), email] as const]),
            ]}
          />
          {!final && (
            <Box sx={{ mt: 1.5 }}>
              <StatusChip tone="info">{t('running')}</StatusChip>
            </Box>
          )}
        </Box>
      </Box>
      <BalanceTable statement={statement} />
      <ModelTable statement={statement} />
      <PaymentTable statement={statement} />
      {note !== '' && (
        <Box sx={{ mt: 4, fontSize: '0.8125rem', color: 'text.secondary' }}>
          <PlainText>{note}</PlainText>
        </Box>
      )}
      <Typography variant="caption" component="p" sx={{ mt: 3, color: 'text.secondary' }}>
        {t('utc')}
      </Typography>
    </Paper>
  );
}
