import { CloseOutlined } from '@ant-design/icons'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button, Flex, Input, Typography } from 'antd'
import { useTranslation } from 'react-i18next'
import { path } from '../../api/request.ts'
import { useApp } from '../../api/use-app.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { useUndo } from '../../parts/use-undo.tsx'
import { ObjectSearch } from '../data/editors/object-search.tsx'
import {
  type Role,
  rolePointer,
  type roleUsersQuery,
  type subRolesQuery,
  type User,
  userPointer,
} from './users-queries.ts'

interface RoleMembersProps {
  readonly roleId: string
  readonly title: string
  readonly about: string
  /** The relation with the members; missing when they are read-only */
  readonly field?: 'users' | 'roles'
  readonly query: ReturnType<typeof roleUsersQuery> | ReturnType<typeof subRolesQuery>
  readonly search?: { readonly text: string; onSearch(text: string): void }
  /** Opens a member role. */
  onOpen?(roleId: string): void
}

/** The users or roles of a role, page by page, with a search to add others. */
export function RoleMembers({ roleId, title, about, field, query, search, onOpen }: RoleMembersProps) {
  const { t } = useTranslation('users')
  const { appId, call, canChange } = useApp()
  const queries = useQueryClient()
  const offerUndo = useUndo()
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(query as ReturnType<typeof roleUsersQuery>)
  const members: readonly (User | Role)[] = data?.pages.flatMap(({ results }) => results) ?? []
  const write = async (operation: 'AddRelation' | 'RemoveRelation', id: string) => {
    const member = field === 'users' ? userPointer(id) : rolePointer(id)
    await call('PUT', path`/1.1/roles/${roleId}`, { body: { [field!]: { __op: operation, objects: [member] } } })
    await queries.invalidateQueries({ queryKey: ['apps', appId] })
  }
  const adding = useMutation({ mutationFn: (id: string) => write('AddRelation', id) })
  const removing = useMutation({
    mutationFn: ({ id }: { id: string; name: string }) => write('RemoveRelation', id),
    onSuccess: (_, { id, name }) => offerUndo(t('roles.removed', { name }), () => write('AddRelation', id)),
  })
  return (
    <Flex vertical gap={8}>
      <div>
        <Typography.Title level={3} style={{ fontSize: 15, margin: 0 }}>
          {title}
        </Typography.Title>
        <Typography.Text type="secondary">{about}</Typography.Text>
      </div>
      <ProblemNotice error={error ?? adding.error ?? removing.error} />
      {search && (members.length > 0 || search.text !== '') && (
        <Input.Search
          placeholder={t('roles.searchUsers')}
          aria-label={t('roles.searchUsers')}
          style={{ maxWidth: 320 }}
          onSearch={(text) => search.onSearch(text.trim())}
        />
      )}
      {data && members.length === 0 && <Typography.Text type="secondary">{t('roles.noMembers')}</Typography.Text>}
      <Flex wrap gap={8}>
        {members.map((member) => (
          <Member key={member.objectId} member={member} onOpen={onOpen}>
            {field !== undefined && canChange && (
              <Button
                type="text"
                size="small"
                icon={<CloseOutlined />}
                aria-label={t('roles.remove', { name: nameOf(member) })}
                onClick={() => removing.mutate({ id: member.objectId, name: nameOf(member) })}
              />
            )}
          </Member>
        ))}
      </Flex>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t('more')}</Button>}
      {field !== undefined && canChange && (
        <div style={{ maxWidth: 320 }}>
          <ObjectSearch
            className={field === 'users' ? '_User' : '_Role'}
            value={null}
            label={t(field === 'users' ? 'roles.addUser' : 'roles.addRole')}
            onChoose={({ objectId }) => adding.mutate(objectId)}
          />
        </div>
      )}
    </Flex>
  )
}

interface MemberProps {
  readonly member: User | Role
  readonly onOpen: ((roleId: string) => void) | undefined
  readonly children: React.ReactNode
}

function Member({ member, onOpen, children }: MemberProps) {
  const { appId } = useApp()
  const { objectId } = member
  return (
    <Flex align="center" gap={4} style={{ padding: '0 4px 0 0' }}>
      {onOpen ? (
        <Button type="link" size="small" onClick={() => onOpen(objectId)}>
          {nameOf(member)}
        </Button>
      ) : (
        <Link to="/apps/$appId/users" params={{ appId }} search={{ user: objectId }}>
          {nameOf(member)}
        </Link>
      )}
      {children}
    </Flex>
  )
}

function nameOf({ objectId, username, name }: User | Role): string {
  return shownText(username ?? name) || objectId
}
