import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Flex, Form, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { Card } from '../../parts/card.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { type Action, beginAction, type Move } from './moving-in-queries.ts'
import { OptionFields } from './option-fields.tsx'
import { type OptionValues, optionsOf } from './option-values.ts'
import { OutcomePanel } from './outcome-panel.tsx'
import { ResultTag } from './result-tag.tsx'

interface StepCardProps {
  readonly action: Action
  readonly move: Move
  /** Whether the source is complete enough. */
  readonly isReady: boolean
}

/** One of the three actions on a source, with its options and last result. */
export function StepCard({ action, move, isReady }: StepCardProps) {
  const { t } = useTranslation('movingIn')
  const { appId, canChange } = useApp()
  const client = useQueryClient()
  const begin = useMutation({
    mutationFn: ({ masterKey, ...fields }: OptionValues & { masterKey?: string }) =>
      beginAction(appId, move.id, { action, options: optionsOf(fields), masterKey: masterKey || undefined }),
    onSettled: () => client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] }),
  })
  const outcome = move.outcomes[action]
  const isStopped = outcome?.result === 'stopped' || outcome?.result === 'failed'
  return (
    <Card
      size="small"
      title={
        <Flex gap={12} align="center" wrap>
          <Typography.Title level={2} style={{ fontSize: 16, margin: 0 }}>
            {t(`steps.${action}.title`)}
          </Typography.Title>
          {outcome && <ResultTag action={action} result={outcome.result} />}
        </Flex>
      }
    >
      <Typography.Paragraph type="secondary">{t(`steps.${action}.about`)}</Typography.Paragraph>
      {canChange && (
        // The name tells the fields of the three forms of a page apart: a label names its field by its id.
        <Form
          name={action}
          layout="vertical"
          disabled={move.action !== null}
          onFinish={(fields) => begin.mutate(fields)}
        >
          <OptionFields action={action} move={move} />
          <Button
            htmlType="submit"
            type={action === 'bring' ? 'primary' : 'default'}
            disabled={!isReady || move.action !== null}
            loading={begin.isPending}
          >
            {t(isStopped ? 'steps.goOn' : `steps.${action}.begin`)}
          </Button>
        </Form>
      )}
      {canChange && !isReady && <Alert type="info" showIcon title={t('steps.notReady')} style={{ marginTop: 12 }} />}
      <ProblemNotice error={begin.error} />
      {outcome && <OutcomePanel action={action} move={move} outcome={outcome} />}
    </Card>
  )
}
