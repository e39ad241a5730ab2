/* The commands below methodbeat fleet: a file each, but for page and sql, which are beside ask.
 * argv[0] is the command's name. Each returns an enum cli_exit. */

#ifndef CLI_FLEET_H
#define CLI_FLEET_H

int cli_fleet_rows(int argc, char **argv);
int cli_fleet_load(int argc, char **argv);
int cli_fleet_ask(int argc, char **argv);
int cli_fleet_page(int argc, char **argv);
int cli_fleet_sql(int argc, char **argv);

#endif
