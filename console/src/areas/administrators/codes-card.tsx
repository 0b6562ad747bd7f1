import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Form, Input, QRCode, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Answers } from '../../api/answers.ts'
import { meQuery } from '../../api/me.ts'
import { request } from '../../api/request.ts'
import { Card } from '../../parts/card.tsx'
import { clipboardLine } from '../../parts/clipboard-text.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'

interface CodesCardProps {
  readonly hasCodes: boolean
  readonly hasPassword: boolean
}

type NewCodes = Answers['POST /admin/me/codes']

/** Enables or disables one-time codes of an authenticator app. Both require the password. */
export function CodesCard({ hasCodes, hasPassword }: CodesCardProps) {
  const { t } = useTranslation('administrators')
  const cache = useQueryClient()
  const [codes, setCodes] = useState<NewCodes | null>(null)
  const change = useMutation({
    mutationFn: async (body: { readonly currentPassword?: string }) => {
      if (hasCodes) await request('DELETE', '/admin/me/codes', { body })
      else setCodes(await request('POST', '/admin/me/codes', { body }))
    },
    onSuccess: () => cache.invalidateQueries(meQuery),
  })
  const confirming = useMutation({
    mutationFn: (body: { readonly code: string }) => request('POST', '/admin/me/codes/confirm', { body }),
    onSuccess: async () => {
      setCodes(null)
      await cache.invalidateQueries(meQuery)
    },
  })
  return (
    <Card variant="borderless" title={t('codes')}>
      <Typography.Paragraph type="secondary">{hasCodes ? t('codesOn') : t('codesAbout')}</Typography.Paragraph>
      {codes && !hasCodes ? (
        <Flex wrap gap={24}>
          <QRCode value={codes.uri} bordered bgColor="#fff" color="#000" aria-label={t('codesScan')} />
          <Form
            layout="vertical"
            requiredMark={false}
            style={{ flex: 1, minWidth: 240 }}
            onFinish={(fields) => confirming.mutate(fields)}
          >
            <Typography.Paragraph>{t('codesScan')}</Typography.Paragraph>
            <Typography.Paragraph>
              <Typography.Text code copyable={{ text: clipboardLine(codes.secret) }} style={{ wordBreak: 'break-all' }}>
                {codes.secret}
              </Typography.Text>
            </Typography.Paragraph>
            <Form.Item name="code" label={t('code')} rules={[{ required: true, message: t('codeNeeded') }]}>
              <Input inputMode="numeric" autoComplete="one-time-code" maxLength={6} />
            </Form.Item>
            <ProblemNotice error={confirming.error} />
            <Button type="primary" htmlType="submit" loading={confirming.isPending}>
              {t('codesConfirm')}
            </Button>
          </Form>
        </Flex>
      ) : (
        <Form name="codes" layout="vertical" requiredMark={false} onFinish={(fields) => change.mutate(fields)}>
          {hasPassword && (
            <Form.Item
              name="currentPassword"
              label={t('currentPassword')}
              rules={[{ required: true, message: t('passwordNeeded') }]}
            >
              <Input.Password autoComplete="current-password" />
            </Form.Item>
          )}
          <ProblemNotice error={change.error} />
          <Button htmlType="submit" danger={hasCodes} loading={change.isPending}>
            {hasCodes ? t('codesEnd') : t('codesBegin')}
          </Button>
        </Form>
      )}
    </Card>
  )
}
