import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import type { Acl } from '../data/data-queries.ts'
import { AclEditor } from '../data/editors/acl-editor.tsx'
import { aclOf } from '../data/values/typed-value.ts'
import { useAclText } from '../data/values/use-acl-text.ts'
import type { Role } from './users-queries.ts'

/** The read and write access to a role: above all, adding users to it. */
export function RoleAcl({ role }: { readonly role: Role }) {
  const { t } = useTranslation('users')
  const { appId, call, canChange } = useApp()
  const { message } = App.useApp()
  const text = useAclText()
  const queries = useQueryClient()
  const [acl, setAcl] = useState<Acl | null>(null)
  const saving = useMutation({
    mutationFn: () => call('PUT', path`/1.1/roles/${role.objectId}`, { body: { ACL: acl } }),
    onSuccess: async () => {
      void message.success(t('roles.aclSaved'))
      await queries.invalidateQueries({ queryKey: ['apps', appId, 'roles'] })
      setAcl(null)
    },
  })
  return (
    <Flex vertical gap={8}>
      <div>
        <Typography.Title level={3} style={{ fontSize: 15, margin: 0 }}>
          {t('roles.acl')}
        </Typography.Title>
        <Typography.Text type="secondary">{t('roles.aclAbout')}</Typography.Text>
      </div>
      {canChange ? (
        <AclEditor value={acl ?? aclOf(role.ACL)} onChange={setAcl} />
      ) : (
        <Typography.Text>{text(aclOf(role.ACL))}</Typography.Text>
      )}
      <ProblemNotice error={saving.error} />
      {acl && (
        <Flex gap={8}>
          <Button type="primary" loading={saving.isPending} onClick={() => saving.mutate()}>
            {t('save')}
          </Button>
          <Button onClick={() => setAcl(null)}>{t('discard')}</Button>
        </Flex>
      )}
    </Flex>
  )
}
