#include "cli/cli.h"

int main(int argc, char **argv) {
    return raski_cli_main(argc, argv);
}
