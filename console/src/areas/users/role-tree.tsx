import { RetweetOutlined } from '@ant-design/icons'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Button, Flex, Input, Tree, type TreeDataNode } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { type Role, rolesQuery, subRolesQuery } from './users-queries.ts'

interface RoleTreeProps {
  readonly appId: string
  readonly search: string
  /** Id of the role displayed beside */
  readonly open: string | undefined
  readonly action: ReactNode
  onSearch(text: string): void
  onOpen(roleId: string): void
}

/** Separates the ids from the top of the tree down to a node. */
const ROUTE = ' '

/** Roles by name, with their child roles, which are loaded when expanded. */
export function RoleTree({ appId, search, open, action, onSearch, onOpen }: RoleTreeProps) {
  const { t } = useTranslation('users')
  const queries = useQueryClient()
  const { data, error, isPending, hasNextPage, fetchNextPage } = useInfiniteQuery(rolesQuery(appId, search))
  const [below, setBelow] = useState<ReadonlyMap<string, readonly Role[]>>(new Map())
  const roles = data?.pages.flatMap(({ results }) => results) ?? []
  const load = async (key: string) => {
    const id = key.split(ROUTE).at(-1)!
    const { pages } = await queries.fetchInfiniteQuery(subRolesQuery(appId, id))
    setBelow((known) =>
      new Map(known).set(
        id,
        pages.flatMap(({ results }) => results),
      ),
    )
  }
  const nodeOf = ({ objectId, name }: Role, route: readonly string[]): TreeDataNode => {
    const isCircle = route.includes(objectId)
    const inner = [...route, objectId]
    const children = isCircle ? undefined : below.get(objectId)
    return {
      key: inner.join(ROUTE),
      title: isCircle ? `${name} (${t('roles.circle')})` : name,
      icon: isCircle ? <RetweetOutlined /> : undefined,
      isLeaf: isCircle || children?.length === 0,
      ...(children && { children: children.map((child) => nodeOf(child, inner)) }),
    }
  }
  return (
    <Flex vertical gap={12}>
      <Input.Search
        key={search}
        defaultValue={search}
        placeholder={t('roles.search')}
        aria-label={t('roles.search')}
        onSearch={(text) => onSearch(text.trim())}
      />
      <ProblemNotice error={error} />
      {!isPending && roles.length === 0 && (
        <EmptyState title={search === '' ? t('roles.none') : t('roles.notFound')} action={search === '' && action}>
          {search === '' && t('roles.noneAbout')}
        </EmptyState>
      )}
      {roles.length > 0 && (
        <Tree
          blockNode
          showIcon
          aria-label={t('rolesTitle')}
          treeData={roles.map((role) => nodeOf(role, []))}
          loadData={({ key }) => load(String(key))}
          selectedKeys={open === undefined ? [] : [open]}
          onSelect={(_, { node }) => onOpen(String(node.key).split(ROUTE).at(-1)!)}
        />
      )}
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t('more')}</Button>}
    </Flex>
  )
}
