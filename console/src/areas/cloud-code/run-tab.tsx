import { useMutation, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { AutoComplete, Button, Flex, Form, Input, Segmented, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { parseObject, Unparsed } from '../../parts/entry/parse-entry.ts'
import { JsonEditor } from '../../parts/json-editor.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { engineQuery, runFunction } from './cloud-code-queries.ts'

interface Fields {
  readonly name: string
  readonly parameters: string
  readonly stage: 'production' | 'staging'
  readonly sessionToken?: string
}

/** Calls a function with JSON, with the master key or as a user. */
export function RunTab() {
  const { t } = useTranslation('cloudCode')
  const { appId } = useApp()
  const { name = '' } = useSearch({ from: '/signed-in/apps/$appId/cloud-code' })
  const engines = useQuery(engineQuery(appId))
  const run = useMutation({
    mutationFn: ({ name, parameters, stage, sessionToken }: Fields) =>
      runFunction(appId, name, {
        parameters: JSON.parse(parameters),
        production: stage === 'production',
        sessionToken: sessionToken || undefined,
      }),
  })
  const known = [
    ...new Set([engines.data?.production, engines.data?.staging].flatMap((engine) => engine?.functions ?? [])),
  ]
  return (
    <div style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(min(380px, 100%), 1fr))', gap: 16 }}>
      <Card size="small" title={t('run.title')}>
        <Form<Fields>
          layout="vertical"
          requiredMark={false}
          initialValues={{ name, parameters: '{}', stage: 'production' }}
          onFinish={(fields) => run.mutate(fields)}
        >
          <Form.Item name="name" label={t('run.name')} rules={[{ required: true, message: t('run.nameNeeded') }]}>
            <AutoComplete options={known.map((value) => ({ value }))} showSearch={{ filterOption: true }} />
          </Form.Item>
          <Form.Item
            name="parameters"
            label={t('run.parameters')}
            trigger="onChange"
            rules={[{ validator: (_, text: string) => checkObject(text, t('run.parametersWrong')) }]}
          >
            <ParameterEditor />
          </Form.Item>
          <Form.Item name="stage" label={t('run.stage')}>
            <Segmented
              options={[
                { value: 'production', label: t('engines.production') },
                { value: 'staging', label: t('engines.staging') },
              ]}
            />
          </Form.Item>
          <Form.Item name="sessionToken" label={t('run.sessionToken')} extra={t('run.sessionTokenAbout')}>
            <Input autoComplete="off" />
          </Form.Item>
          <Button type="primary" htmlType="submit" loading={run.isPending}>
            {t('run.run')}
          </Button>
        </Form>
      </Card>
      <Card size="small" title={t('run.answer')}>
        <ProblemNotice error={run.error} />
        {run.data ? <Answer {...run.data} /> : <Typography.Text type="secondary">{t('run.noAnswer')}</Typography.Text>}
      </Card>
    </div>
  )
}

interface AnswerProps {
  readonly status: number
  readonly answer: object
  readonly milliseconds: number
}

function Answer({ status, answer, milliseconds }: AnswerProps) {
  const { t } = useTranslation('cloudCode')
  const format = useFormat()
  return (
    <Flex vertical gap={12}>
      <Typography.Text type={status === 200 ? 'success' : 'danger'}>
        {t('run.status', { status, time: format.duration(milliseconds) })}
      </Typography.Text>
      <JsonEditor readOnly value={JSON.stringify(answer, null, 2)} height="320px" label={t('run.answer')} />
    </Flex>
  )
}

/** The editor as a form field. */
function ParameterEditor({ value = '', onChange }: { readonly value?: string; onChange?(value: string): void }) {
  const { t } = useTranslation('cloudCode')
  return <JsonEditor value={value} label={t('run.parameters')} height="180px" {...(onChange && { onChange })} />
}

async function checkObject(text: string, fault: string): Promise<void> {
  if (parseObject(text) instanceof Unparsed) throw new Error(fault)
}
