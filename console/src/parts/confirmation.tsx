import { Popconfirm, type PopconfirmProps } from 'antd'

/** Asks beside a button whether it is meant. The focus goes to the answer, so that Enter confirms and Escape does not. */
export function Confirmation({ okButtonProps, ...props }: PopconfirmProps) {
  return <Popconfirm {...props} destroyOnHidden okButtonProps={{ ...okButtonProps, autoFocus: true }} />
}
