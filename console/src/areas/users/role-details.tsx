import { DeleteOutlined } from '@ant-design/icons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Typography } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { Loading } from '../../parts/loading.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { RoleAcl } from './role-acl.tsx'
import { RoleMembers } from './role-members.tsx'
import { holdersQuery, rolePointer, roleQuery, roleUsersQuery, subRolesQuery } from './users-queries.ts'

interface RoleDetailsProps {
  readonly roleId: string
  onOpen(roleId: string): void
  onDeleted(): void
}

/** One role: its direct and inherited users, and its ACL. */
export function RoleDetails({ roleId, onOpen, onDeleted }: RoleDetailsProps) {
  const { t } = useTranslation('users')
  const { appId, call, canChange } = useApp()
  const queries = useQueryClient()
  const [isConfirming, setIsConfirming] = useState(false)
  const [search, setSearch] = useState('')
  const { data: role, error, isPending } = useQuery(roleQuery(appId, roleId))
  const deletion = useMutation({
    mutationFn: () => call('DELETE', path`/1.1/roles/${roleId}`),
    onSuccess: () => {
      onDeleted()
      void queries.invalidateQueries({ queryKey: ['apps', appId, 'roles'] })
    },
  })
  if (isPending) return <Loading />
  if (!role) return <ProblemNotice error={error ?? new Error(t('roles.gone'))} />
  return (
    <Flex vertical gap={24}>
      <Flex wrap gap={12} justify="space-between" align="center">
        <Typography.Title level={2} style={{ fontSize: 18, margin: 0 }}>
          {role.name}
        </Typography.Title>
        {canChange && (
          <Button danger icon={<DeleteOutlined />} onClick={() => setIsConfirming(true)}>
            {t('roles.delete')}
          </Button>
        )}
      </Flex>
      <RoleMembers
        roleId={roleId}
        title={t('roles.users')}
        about={t('roles.usersAbout')}
        field="users"
        query={roleUsersQuery(appId, roleId, search)}
        search={{ text: search, onSearch: setSearch }}
      />
      <RoleMembers
        roleId={roleId}
        title={t('roles.subRoles')}
        about={t('roles.subRolesAbout', { name: role.name })}
        field="roles"
        query={subRolesQuery(appId, roleId)}
        onOpen={onOpen}
      />
      <RoleMembers
        roleId={roleId}
        title={t('roles.parents')}
        about={t('roles.parentsAbout', { name: role.name })}
        query={holdersQuery(appId, rolePointer(roleId))}
        onOpen={onOpen}
      />
      <RoleAcl key={roleId} role={role} />
      <ConfirmByName
        open={isConfirming}
        title={t('roles.delete')}
        name={role.name}
        isPending={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate()}
        onCancel={() => setIsConfirming(false)}
      >
        {t('roles.deleteAbout')}
      </ConfirmByName>
    </Flex>
  )
}
