import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { App, Button, Flex, Typography } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClassDescription } from '../../api/classes.ts'
import { request } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { useFormat } from '../../i18n/format.ts'
import { Card } from '../../parts/card.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { forgetClasses } from './class-queries.ts'
import { useRemoval } from './use-removal.ts'

/** Irreversible actions: deleting all objects of a class, or the class. */
export function DangerTab({ description: { className } }: { readonly description: ClassDescription }) {
  const { t } = useTranslation('classes')
  const isBuiltIn = className.startsWith('_')
  return (
    <Flex vertical gap={16} style={{ maxWidth: 760 }}>
      <Danger title={t('danger.empty')} about={isBuiltIn ? t('danger.emptyBuiltIn') : t('danger.emptyAbout')}>
        {!isBuiltIn && <EmptyClass className={className} />}
      </Danger>
      <Danger title={t('danger.delete')} about={isBuiltIn ? t('danger.deleteBuiltIn') : t('danger.deleteAbout')}>
        {!isBuiltIn && <DeleteClass className={className} />}
      </Danger>
    </Flex>
  )
}

function Danger({
  title,
  about,
  children,
}: {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}) {
  return (
    <Card>
      <Flex wrap gap={16} justify="space-between" align="center">
        <Flex vertical flex={1} style={{ minWidth: 240 }}>
          <Typography.Text strong>{title}</Typography.Text>
          <Typography.Text type="secondary">{about}</Typography.Text>
        </Flex>
        {children}
      </Flex>
    </Card>
  )
}

function EmptyClass({ className }: { readonly className: string }) {
  const { t } = useTranslation('classes')
  const format = useFormat()
  const { message } = App.useApp()
  const { appId } = useApp()
  const [isOpen, setIsOpen] = useState(false)
  const { removal, removed, stop } = useRemoval(
    (after) =>
      request('DELETE', '/admin/apps/{appId}/classes/{className}/objects', {
        params: { appId, className },
        query: { after },
      }),
    () => forgetClasses(appId),
  )
  const confirm = async () => {
    if (!(await removal.mutateAsync())) return
    void message.success(t('danger.emptied', { name: className }))
    setIsOpen(false)
  }
  return (
    <>
      <Button danger onClick={() => setIsOpen(true)}>
        {t('danger.empty')}
      </Button>
      <ConfirmByName
        open={isOpen}
        title={t('danger.empty')}
        name={className}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => void confirm().catch(() => {})}
        onCancel={() => {
          stop()
          setIsOpen(false)
        }}
      >
        {removal.isPending
          ? t('danger.emptying', { count: removed, shown: format.number(removed) })
          : t('danger.emptyAbout')}
      </ConfirmByName>
    </>
  )
}

function DeleteClass({ className }: { readonly className: string }) {
  const { t } = useTranslation('classes')
  const navigate = useNavigate()
  const { message } = App.useApp()
  const { appId } = useApp()
  const [isOpen, setIsOpen] = useState(false)
  const deleting = useMutation({
    mutationFn: () => request('DELETE', '/admin/apps/{appId}/classes/{className}', { params: { appId, className } }),
    onSuccess: async () => {
      await navigate({ to: '/apps/$appId/data', params: { appId } })
      await forgetClasses(appId)
      void message.success(t('danger.deleted', { name: className }))
    },
  })
  return (
    <>
      <Button danger type="primary" onClick={() => setIsOpen(true)}>
        {t('danger.delete')}
      </Button>
      <ConfirmByName
        open={isOpen}
        title={t('danger.delete')}
        name={className}
        isPending={deleting.isPending}
        error={deleting.error}
        onConfirm={() => deleting.mutate()}
        onCancel={() => setIsOpen(false)}
      >
        {t('danger.deleteAbout')}
      </ConfirmByName>
    </>
  )
}
