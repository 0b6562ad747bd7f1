import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button, Flex, Form, Input, Typography, Upload } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useApp } from '../../api/use-app.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { checkSource, createMove } from './moving-in-queries.ts'
import { upload } from './uploads.ts'

interface Fields {
  readonly url: string
  readonly appId: string
  readonly masterKey: string
}

/** Asks for the URL and keys of a running app. */
export function FromApp() {
  const { t } = useTranslation('movingIn')
  const { appId } = useApp()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const begin = useMutation({
    mutationFn: async ({ masterKey, ...source }: Fields) => {
      const given = { url: source.url.trim(), appId: source.appId.trim(), masterKey: masterKey.trim() }
      const { verdict, reason } = await checkSource(appId, given)
      if (verdict !== 'ok') throw new Error(t(`check.${verdict}`, { reason: reason ?? '' }))
      const users = file ? { name: file.name, size: file.size } : undefined
      const app = { kind: 'app', url: given.url, appId: given.appId, users } as const
      return createMove(appId, app, given.masterKey)
    },
    onSuccess: (move) => {
      if (file)
        void upload(appId, move, [file]).then(() => client.invalidateQueries({ queryKey: ['apps', appId, 'moves'] }))
      return navigate({ to: '/apps/$appId/moving-in/$moveId', params: { appId, moveId: move.id } })
    },
  })
  const required = [{ required: true, whitespace: true, message: t('app.required') }]
  return (
    <Flex vertical gap={12}>
      <Typography.Text type="secondary">{t('app.about')}</Typography.Text>
      <Form<Fields> layout="vertical" requiredMark={false} onFinish={(fields) => begin.mutate(fields)}>
        <Form.Item name="url" label={t('app.url')} rules={required}>
          <Input placeholder="https://api.example.org" autoComplete="off" inputMode="url" />
        </Form.Item>
        <Form.Item name="appId" label={t('app.appId')} rules={required}>
          <Input autoComplete="off" />
        </Form.Item>
        <Form.Item name="masterKey" label={t('app.masterKey')} extra={t('app.masterKeyAbout')} rules={required}>
          <Input.Password autoComplete="off" />
        </Form.Item>
        <Form.Item label={t('app.users')} extra={t('app.usersAbout')}>
          <Upload
            maxCount={1}
            fileList={file ? [{ uid: file.name, name: file.name, status: 'done' }] : []}
            beforeUpload={(chosen) => {
              setFile(chosen)
              return false
            }}
            onRemove={() => setFile(null)}
          >
            <Button>{t('app.usersChoose')}</Button>
          </Upload>
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={begin.isPending}>
          {t('app.next')}
        </Button>
      </Form>
      <ProblemNotice error={begin.error} />
    </Flex>
  )
}
